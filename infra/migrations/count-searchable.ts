import { type Kysely, sql } from 'kysely'
import type { Backfill } from './backfill.ts'

type Key = readonly [organization: string, document: string]

interface Row {
  organization_id: string
  id: string
}

/** Counts the chunks that search finds of each document that was there before they were counted. */
export const countSearchable: Backfill<Key> = {
  name: 'searchable chunks',

  async convert(db, after, limit) {
    const rows = await uncounted(db, after, limit)
    if (rows.length === 0) return { converted: 0, last: undefined }
    await sql`update documents d set searchable_chunk_count = (
        select count(*) from chunks c
        where c.organization_id = d.organization_id and c.document_id = d.id and c.revision <= d.active_revision
          and (c.vector_id is not null or c.embedding is not null))
      from unnest(${rows.map((row) => row.organization_id)}::uuid[], ${rows.map(({ id }) => id)}::uuid[]) as locked(organization_id, id)
      where d.organization_id = locked.organization_id and d.id = locked.id`.execute(db)
    const { organization_id, id } = rows.at(-1)!
    return { converted: rows.length, last: [organization_id, id] }
  },
}

async function uncounted(db: Kysely<never>, after: Key | undefined, limit: number): Promise<Row[]> {
  const rest = after ? sql`(organization_id, id) > (${after[0]}::uuid, ${after[1]}::uuid)` : sql`true`
  const { rows } = await sql<Row>`select organization_id, id from documents
    where searchable_chunk_count is null and ${rest}
    order by organization_id, id limit ${limit} for no key update skip locked`.execute(db)
  return rows
}

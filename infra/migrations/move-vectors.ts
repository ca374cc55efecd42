import { type Kysely, sql } from 'kysely'
import { sketchOf } from '../../shared/embedding/sketch.ts'
import { toStored } from '../../shared/embedding/vectors.ts'
import { idOfHash } from '../../shared/ids.ts'
import type { Backfill } from './backfill.ts'

type Key = readonly [organization: string, agent: string, document: string, revision: number, index: number]

interface Row {
  organization_id: string
  agent_id: string
  document_id: string
  revision: number
  chunk_index: number
  id: string
  /** In hex. */
  content_hash: string | null
  embedding: string
}

/** Gives each vector that is still in its chunk's row a row of its own, in half precision, and the chunk its sketch. */
export const moveVectors: Backfill<Key> = {
  name: 'vectors',

  async convert(db, after, limit) {
    const rows = await unconverted(db, after, limit)
    if (rows.length === 0) return { converted: 0, last: undefined }
    const vectors = rows.map((row) => {
      const vector: number[] = JSON.parse(row.embedding)
      return { ...row, ...toStored(vector), vectorId: vectorIdOf(row), sketch: sketchOf(vector) }
    })
    const moved = sql`unnest(${list(vectors, 'organization_id')}::uuid[], ${list(vectors, 'document_id')}::uuid[],
      ${list(vectors, 'revision')}::int[], ${list(vectors, 'chunk_index')}::int[], ${list(vectors, 'vectorId')}::uuid[],
      ${list(vectors, 'exponent')}::smallint[], ${list(vectors, 'embedding')}::halfvec[], ${list(vectors, 'sketch')}::bit(1536)[])
      as moved(organization_id, document_id, revision, chunk_index, id, exponent, embedding, sketch)`
    await sql`insert into vectors (organization_id, document_id, id, exponent, embedding, sketch)
      select organization_id, document_id, id, exponent, embedding, sketch from ${moved} on conflict do nothing`.execute(
      db,
    )
    await sql`update chunks c set vector_id = moved.id, sketch = moved.sketch from ${moved}
      where (c.organization_id, c.document_id, c.revision, c.chunk_index)
        = (moved.organization_id, moved.document_id, moved.revision, moved.chunk_index)`.execute(db)
    const { organization_id, agent_id, document_id, revision, chunk_index } = rows.at(-1)!
    return { converted: rows.length, last: [organization_id, agent_id, document_id, revision, chunk_index] }
  },
}

async function unconverted(db: Kysely<never>, after: Key | undefined, limit: number): Promise<Row[]> {
  const key = sql`(organization_id, agent_id, document_id, revision, chunk_index)`
  const rest = after
    ? sql`${key} > (${after[0]}::uuid, ${after[1]}::uuid, ${after[2]}::uuid, ${after[3]}::int, ${after[4]}::int)`
    : sql`true`
  const { rows } = await sql<Row>`
    select organization_id, agent_id, document_id, revision::int, chunk_index::int, id, encode(content_hash, 'hex') as content_hash,
      embedding::text
    from chunks where embedding is not null and vector_id is null and ${rest}
    order by organization_id, agent_id, document_id, revision, chunk_index limit ${limit} for update skip locked`.execute(
    db,
  )
  return rows.map((row) => ({ ...row, revision: Number(row.revision), chunk_index: Number(row.chunk_index) }))
}

/** As the worker names it, so that an edit finds it again; a client's vector has the id of its chunk. */
function vectorIdOf({ id, content_hash }: Row): string {
  return content_hash === null ? id : idOfHash(Buffer.from(content_hash, 'hex'))
}

function list<Column extends string>(rows: readonly Record<Column, unknown>[], column: Column): unknown[] {
  return rows.map((row) => row[column])
}

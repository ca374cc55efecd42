import { type Expression, type Kysely, sql } from 'kysely'
import { indexedTerms, titleTerms } from '../../shared/terms/indexed-terms.ts'
import type { Backfill } from './backfill.ts'

type Key = readonly [organization: string, document: string]

interface Document {
  organization_id: string
  id: string
  agent_id: string
  title: string
}

interface Chunk {
  revision: number
  chunk_index: number
  content: string
  /** JSON. */
  headings: string | null
}

/**
 * Gives each document the terms of its title, and its chunks theirs. Every document is looked at, since nothing about it says that
 * an older release, after a rollback for instance, has written its chunks or its title in the meantime.
 */
export const indexTerms: Backfill<Key> = {
  name: 'terms',

  async convert(db, after, limit) {
    const documents = await documentsAfter(db, after, limit)
    if (documents.length === 0) return { converted: 0, last: undefined }
    let converted = 0
    let last = after ?? before
    for (const document of await lockOutdated(db, documents)) {
      const chunks = await chunksWithoutTerms(db, document, limit - converted + 1)
      if (chunks.length > 0) await insertTerms(db, document, chunks)
      converted += chunks.length
      if (converted > limit) return { converted, last }
      await sql`update documents set title_terms = ${titleTerms(document.title)}
        where organization_id = ${document.organization_id} and id = ${document.id}`.execute(db)
      converted++
      last = keyOf(document)
    }
    return { converted, last: keyOf(documents.at(-1)!) }
  },
}

/** Before the first of all keys: the first document has more chunks than a batch. */
const before: Key = ['00000000-0000-0000-0000-000000000000', '00000000-0000-0000-0000-000000000000']

const keyOf = ({ organization_id, id }: Document): Key => [organization_id, id]

async function documentsAfter(db: Kysely<never>, after: Key | undefined, limit: number): Promise<Document[]> {
  const rest = after ? sql`(organization_id, id) > (${after[0]}::uuid, ${after[1]}::uuid)` : sql`true`
  const { rows } = await sql<Document>`select organization_id, id, agent_id, title from documents where ${rest}
    order by organization_id, id limit ${limit}`.execute(db)
  return rows
}

/** Of these, as they are now, those whose terms are missing or those of another title. */
async function lockOutdated(db: Kysely<never>, documents: Document[]): Promise<Document[]> {
  const { rows } = await sql<Document>`select d.organization_id, d.id, d.agent_id, d.title from documents d
    join unnest(${documents.map((document) => document.organization_id)}::uuid[], ${documents.map(({ id }) => id)}::uuid[],
      string_to_array(${documents.map(({ title }) => titleTerms(title)).join(';')}, ';')::sparsevec[]) as seen(organization_id, id, terms)
      on seen.organization_id = d.organization_id and seen.id = d.id
    where d.title_terms is distinct from seen.terms or exists (select ${chunksOf(sql`d.organization_id`, sql`d.id`)})
    order by d.organization_id, d.id for no key update of d skip locked`.execute(db)
  return rows
}

/** Chunks of a document that have a vector but no terms. */
const chunksOf = (organizationId: Expression<unknown>, id: Expression<unknown>) => sql`from chunks c
  where c.organization_id = ${organizationId} and c.document_id = ${id}
    and (c.vector_id is not null or c.embedding is not null)
    and not exists (select from chunk_terms t where t.organization_id = c.organization_id and t.agent_id = c.agent_id
      and t.document_id = c.document_id and t.revision = c.revision and t.chunk_index = c.chunk_index)`

async function chunksWithoutTerms(
  db: Kysely<never>,
  { organization_id, id }: Document,
  limit: number,
): Promise<Chunk[]> {
  const { rows } = await sql<Chunk>`
    select c.revision::int, c.chunk_index::int, c.content, (c.metadata -> 'headings')::text as headings
    ${chunksOf(sql`${organization_id}::uuid`, sql`${id}::uuid`)}
    order by c.revision, c.chunk_index limit ${limit}`.execute(db)
  return rows
}

async function insertTerms(db: Kysely<never>, { organization_id, id, agent_id }: Document, chunks: Chunk[]) {
  const rows = chunks.map((chunk) => ({ ...chunk, ...indexedTerms(chunk.content, headingsOf(chunk)) }))
  await sql`insert into chunk_terms (organization_id, agent_id, document_id, revision, chunk_index, length, terms)
    select ${organization_id}::uuid, ${agent_id}::uuid, ${id}::uuid, made.* from unnest(${rows.map((row) => row.revision)}::int[],
      ${rows.map((row) => row.chunk_index)}::int[], ${rows.map((row) => row.length)}::int[],
      string_to_array(${rows.map((row) => row.terms).join(';')}, ';')::sparsevec[]) as made
    on conflict do nothing`.execute(db)
}

/** A client's metadata may hold anything. */
function headingsOf(chunk: Chunk): string[] {
  const headings: unknown = JSON.parse(chunk.headings ?? 'null')
  return Array.isArray(headings) ? headings.filter((heading) => typeof heading === 'string') : []
}

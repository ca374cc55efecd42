import { sql } from 'kysely'
import type { Database } from '../../../shared/database/database.ts'
import { type ChunkRow, toChunk } from '../../../shared/documents/contract/chunk.ts'
import { chunkMetadata, isServed } from '../../../shared/documents/processing/served-chunks.ts'
import { ApiError } from '../../../shared/http/errors.ts'
import { pageBytes } from '../../../shared/http/payload.ts'
import type { OrganizationId } from '../../../shared/ids.ts'

const rowsPerPage = 1000
/** The maximum length of a `halfvec(1536)` that Postgres prints. */
const embeddingBytes = 20_000

type Row = Record<string, unknown>
type PageAfter = (db: Database, id: OrganizationId, last?: Row) => Promise<Row[]>

export const pages = (withEmbeddings: boolean): Record<string, PageAfter> => ({
  agent: rowsOf('agents', 'id', 'name, time_zone, holidays, knowledge_base_enabled, ready_document_count, created_at'),
  // The keys aren't stored, and their hashes are left out.
  api_key: rowsOf(
    'api_keys',
    'id',
    'name, permissions, expires_at, revoked_at, created_by, created_by_person, created_at',
  ),
  person: peopleAfter,
  connection: rowsOf('connections', 'id', 'person_id, agent_id, client_id, client_name, used_at, created_at'),
  // The secret is left out.
  signing_secret: rowsOf('signing_secrets', 'agent_id, platform', 'created_at'),
  document: documentsAfter,
  document_revision: revisionsAfter,
  chunk: chunksAfter(withEmbeddings),
  source: rowsOf(
    'sources',
    'id',
    'agent_id, url, kind, include, exclude, refresh_hours, status, error_message, notice, checked_at, next_check_at, created_at',
  ),
  source_page: rowsOf('source_pages', 'source_id, address', 'agent_id, found, left_out, gone_since, looked_at'),
  call: rowsOf('calls', 'id', 'agent_id, done_at, deleted_at, created_at'),
  golden_question: rowsOf(
    'golden_questions',
    'agent_id, id',
    'question, history, document_id, words, value, expects_value, expects_nothing, within, on_failure, as_of, passed, rank, checked_at, created_at',
  ),
  // The secrets are left out.
  webhook: rowsOf('webhooks', 'id', 'url, events, status, disabled_reason, created_at'),
  webhook_delivery: rowsOf(
    'webhook_deliveries',
    'webhook_id, id',
    'type as event, data, status, attempts, response_status, error, delivered_at, created_at',
  ),
  question: rowsOf(
    'question_log',
    'agent_id, id',
    'question, call_id, mode, is_degraded, hits, answerable, status, value, milliseconds, is_wrong, asked_at',
  ),
})

const peopleAfter: PageAfter = async (db, id, last) => {
  const { rows } = await sql<Row>`select p.id, p.mail, m.role, m.removed_at, m.created_at
    from memberships m join people p on p.id = m.person_id
    where m.organization_id = ${id} and ${last ? sql`p.id > ${last.id}::uuid` : sql`true`} order by p.id limit ${rowsPerPage}`.execute(
    db,
  )
  return rows
}

function rowsOf(table: string, key: string, columns: string): PageAfter {
  const order = sql.raw(key)
  return async (db, id, last) => {
    const page = async (limit: number): Promise<Row[]> => {
      const statement = sql<Row>`select ${order}, ${sql.raw(columns)} from ${sql.table(table)}
        where organization_id = ${id} and ${after(key, last)} order by ${order} limit ${limit}`
      try {
        return (await statement.execute(db)).rows
      } catch (error) {
        // A page of very long questions may exceed the database's limit for a response.
        if (!(error instanceof ApiError) || limit === 1) throw error
        return await page(limit >> 1)
      }
    }
    return await page(rowsPerPage)
  }
}

function after(key: string, last: Row | undefined) {
  return last ? sql`(${sql.raw(key)}) > (${sql.join(key.split(', ').map((column) => last[column]))})` : sql`true`
}

/** Large contents shorten a page, down to one document. */
const documentsAfter: PageAfter = async (db, id, last) => {
  const { rows } = await sql<Row>`
    with sized as (
      select id, row_number() over (order by id) as position,
        sum(coalesce(octet_length(content), 0) + coalesce(octet_length(extracted_text), 0)) over (order by id) as bytes
      from documents where organization_id = ${id} and ${after('id', last)} order by id limit ${rowsPerPage})
    select d.id, d.agent_id, d.title, coalesce(d.external_id, d.before_deletion ->> 'external_id') as external_id, d.source_id, d.metadata, d.content, d.extracted_text, d.file_notes, d.corrections,
      d.source_type, d.source_url, d.file_bytes, d.status,
      d.managed_by, d.revision, d.active_revision, d.valid_from, d.valid_until, d.error_message, d.deleted_at, d.created_at, d.updated_at
    from sized join documents d on (d.organization_id, d.id) = (${id}, sized.id)
    where sized.position = 1 or sized.bytes <= ${pageBytes} order by d.id`.execute(db)
  return rows
}

/** Pages of the revisions that search has served. */
const revisionsAfter: PageAfter = async (db, id, last) => {
  const { rows } = await sql<Row>`
    with sized as (
      select document_id, revision, row_number() over (order by document_id, revision) as position,
        sum(coalesce(octet_length(content), 0)) over (order by document_id, revision) as bytes
      from document_revisions where organization_id = ${id} and ${after('document_id, revision', last)}
      order by document_id, revision limit ${rowsPerPage})
    select r.document_id, r.revision, r.agent_id, r.title, r.content, r.created_at, r.created_by, r.served_at, r.replaced_at
    from sized join document_revisions r
      on (r.organization_id, r.document_id, r.revision) = (${id}, sized.document_id, sized.revision)
    where sized.position = 1 or sized.bytes <= ${pageBytes} order by r.document_id, r.revision`.execute(db)
  return rows
}

type StoredChunk = ChunkRow & { revision: number; is_served: boolean | null }

/** Pages of the chunks of all revisions, including drafts and unfinished ones. Embeddings are base64 of little-endian 32-bit floats. */
function chunksAfter(withEmbeddings: boolean): PageAfter {
  const key = 'document_id, revision, chunk_index'
  const order = sql.raw(key)
  return async (db, id, last) => {
    const vectors = sql`left join vectors v on (v.organization_id, v.document_id, v.id) = (${id}, c.document_id, c.vector_id)`
    const { rows } = await sql<StoredChunk>`
      with sized as (
        select document_id, revision, chunk_index, row_number() over (order by ${order}) as position,
          sum(octet_length(content) + octet_length(metadata::text) + ${withEmbeddings ? embeddingBytes : 0}::int)
            over (order by ${order}) as bytes
        from chunks where organization_id = ${id} and ${after(key, last)} order by ${order} limit ${rowsPerPage})
      select c.id, c.document_id, c.agent_id, c.content, c.chunk_index, c.token_count, c.created_at, c.revision,
        ${chunkMetadata} as metadata, ${isServed} as is_served${withEmbeddings ? sql`, v.embedding, v.exponent` : sql``}
      from sized
        join chunks c on (c.organization_id, c.document_id, c.revision, c.chunk_index)
          = (${id}, sized.document_id, sized.revision, sized.chunk_index)
        join documents d on (d.organization_id, d.id) = (${id}, c.document_id)
        ${withEmbeddings ? vectors : sql``}
      where sized.position = 1 or sized.bytes <= ${pageBytes}
      order by c.document_id, c.revision, c.chunk_index`.execute(db)
    return rows.map((row) => ({ ...toChunk(row, 'base64'), revision: row.revision, is_served: row.is_served ?? false }))
  }
}

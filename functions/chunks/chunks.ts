import { sql } from 'kysely'
import { type Database, violates } from '../../shared/database/database.ts'
import {
  agentNotFound,
  type DocumentScope,
  documentNotFound,
  findAgent,
  isDocument,
} from '../../shared/database/scope.ts'
import { toSql } from '../../shared/embedding/vectors.ts'
import { ApiError } from '../../shared/http/errors.ts'
import { type IdempotentRequest, idempotently, ownsIdempotencyKey } from '../../shared/http/idempotency.ts'
import { pageBytes } from '../../shared/http/page-bytes.ts'
import { newId } from '../../shared/ids.ts'
import { type ChunkRow, chunkColumns } from './chunk.ts'
import type { ChunkInput } from './schemas.ts'

/** What the service adds to a chunk of the request that stores it. */
type Stored = Pick<ChunkRow, 'id' | 'chunk_index' | 'token_count' | 'created_at'>

interface StoredBatch {
  /** By chunk_index. */
  data: Stored[]
  chunk_count: number
}

/**
 * Stores a batch of the client's own chunks, all or none. The first batch for a document that the service manages takes it
 * over: a new revision that holds the client's chunks alone, out of search's sight until the client completes it.
 * @throws ApiError agent_not_found, document_not_found, chunk_index_conflict, idempotency_key_reused, idempotency_in_progress;
 * validation_failed past the document's limit
 */
export async function createChunks(
  db: Database,
  scope: DocumentScope,
  inputs: ChunkInput[],
  request?: IdempotentRequest,
) {
  const rows = inputs.map(({ embedding, token_count, ...chunk }) => ({
    id: newId(),
    ...chunk,
    token_count: token_count ?? estimateTokens(chunk.content),
    embedding: embedding && toSql(embedding),
  }))
  const isOfThisRevision = sql`(c.organization_id, c.document_id, c.revision) = (d.organization_id, d.id, d.revision)`
  const lock = sql<{ id: string }>`select id from documents d where ${isDocument(scope)} for update`
  const takeOver = sql`
    update documents d set
      managed_by = 'client', status = 'pending', revision = d.revision + 1, chunk_count = 0, error_message = null, error_code = null,
      lease_token = null, lease_expires_at = null, attempt = 0, retry_count = 0, next_attempt_at = null
    where ${isDocument(scope)} and d.managed_by = 'service' and ${ownsIdempotencyKey(request)}`
  const conflicts = sql<{ chunk_index: number }>`
    select c.chunk_index from chunks c join documents d on ${isOfThisRevision}
    where ${isDocument(scope)} and ${ownsIdempotencyKey(request)} and c.chunk_index = any(${rows.map((row) => row.chunk_index)}::int[])
    order by c.chunk_index`
  const insert = sql<Stored & { total: number }>`
    with inserted as (
      insert into chunks (organization_id, id, agent_id, document_id, revision, chunk_index, content, token_count, metadata, embedding)
      select d.organization_id, wanted.id, d.agent_id, d.id, d.revision, wanted.chunk_index, wanted.content, wanted.token_count,
        wanted.metadata, wanted.embedding::vector(1536)
      from documents d
      cross join jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as wanted(id uuid, chunk_index int, content text, token_count int, metadata jsonb, embedding text)
      where ${isDocument(scope)} and ${ownsIdempotencyKey(request)} and not exists (
        select from chunks c where ${isOfThisRevision} and c.chunk_index = any(${rows.map((row) => row.chunk_index)}::int[]))
      returning *
    ),
    counted as (
      update documents d set chunk_count = d.chunk_count + (select count(*) from inserted)
      where ${isDocument(scope)} and exists (select from inserted)
      returning d.chunk_count
    )
    select c.id, c.chunk_index, c.token_count, c.created_at, counted.chunk_count as total
    from inserted c cross join counted order by c.chunk_index`
  const texts = new Map(inputs.map(({ chunk_index, content, metadata }) => [chunk_index, { content, metadata }]))
  const withTexts = ({ data, chunk_count }: StoredBatch) => ({
    data: data.map(
      (stored): ChunkRow => ({
        document_id: scope.documentId,
        agent_id: scope.agentId,
        ...texts.get(stored.chunk_index)!,
        ...stored,
      }),
    ),
    chunk_count,
  })

  try {
    if (!request) {
      const [agents, documents, , conflicting, created] = await db.batch(
        findAgent(scope),
        lock,
        takeOver,
        conflicts,
        insert,
      )
      requireDocument(agents, documents)
      return { ...withTexts(outcome(conflicting, created)), replayed: false }
    }
    const answer = sql<StoredBatch>`(
      select case when count(*) > 0 then jsonb_build_object(
        'data', jsonb_agg(jsonb_build_object(
          'id', c.id, 'chunk_index', c.chunk_index, 'token_count', c.token_count, 'created_at', c.created_at) order by c.chunk_index),
        'chunk_count', (select chunk_count from documents d where ${isDocument(scope)})) end
      from chunks c
      where c.organization_id = ${scope.organizationId} and c.document_id = ${scope.documentId} and c.id = any(${rows.map((row) => row.id)}::uuid[]))`
    const {
      results: [agents, documents, , conflicting, created],
      kept,
    } = await idempotently(db, request, answer, findAgent(scope), lock, takeOver, conflicts, insert)
    requireDocument(agents, documents)
    return { ...withTexts(kept ?? outcome(conflicting, created)), replayed: kept !== undefined }
  } catch (error) {
    if (violates(error, 'documents_chunk_limit'))
      throw new ApiError(
        'validation_failed',
        'With these the document would have more than 10,000 chunks, the most it may have.',
        { cause: error },
      )
    throw error
  }
}

function requireDocument(agents: unknown[], documents: unknown[]): void {
  if (agents.length === 0) agentNotFound()
  if (documents.length === 0) documentNotFound()
}

function outcome(conflicting: { chunk_index: number }[], created: (Stored & { total: number })[]): StoredBatch {
  if (conflicting.length > 0)
    throw new ApiError(
      'chunk_index_conflict',
      'Chunks with these indexes are already stored. Delete all chunks first to upload anew.',
      {
        extra: { chunk_indexes: conflicting.map((row) => row.chunk_index) },
      },
    )
  return { data: created, chunk_count: created[0]!.total }
}

/** English text has about four characters a token. */
function estimateTokens(content: string): number {
  return Math.ceil(content.length / 4)
}

/**
 * A page of a document's chunks by index: those that search serves of a document the service manages, those stored so far
 * of one the client manages.
 * @throws ApiError agent_not_found, document_not_found
 */
export async function listChunks(
  db: Database,
  scope: DocumentScope,
  { limit, after, include }: { limit: number; after?: number | undefined; include?: 'embedding' | undefined },
) {
  const [agents, documents, rows] = await db.batch(
    findAgent(scope),
    sql`select id from documents d where ${isDocument(scope)}`,
    sql<ChunkRow & { available: string }>`
      with page as (
        select c.*, row_number() over by_index as position,
          sum(octet_length(c.content) + octet_length(c.metadata::text) ${include ? sql`+ coalesce(octet_length(c.embedding::text), 0)` : sql``})
            over by_index as bytes
        from documents d
        join chunks c on (c.organization_id, c.document_id, c.revision)
          = (d.organization_id, d.id, case d.managed_by when 'client' then d.revision else d.active_revision end)
        where ${isDocument(scope)} and c.chunk_index > ${after ?? -1}
        window by_index as (order by c.chunk_index)
        order by c.chunk_index
        limit ${limit + 1}
      )
      select ${chunkColumns} ${include ? sql`, c.embedding` : sql``}, (select count(*) from page) as available
      from page c
      where position <= ${limit} and (position = 1 or bytes <= ${pageBytes})
      order by c.chunk_index`,
  )
  if (agents.length === 0) agentNotFound()
  if (documents.length === 0) documentNotFound()
  return { chunks: rows, hasMore: rows.length > 0 && rows.length < Number(rows[0]!.available) }
}

/**
 * Removes every chunk of a document, which is then the client's: pending, with nothing in search.
 * @throws ApiError agent_not_found, document_not_found
 */
export async function deleteChunks(db: Database, scope: DocumentScope): Promise<void> {
  const [agents, documents] = await db.batch(
    findAgent(scope),
    sql`
      update documents d set
        managed_by = 'client', status = 'pending', revision = d.revision + 1, active_revision = null, chunk_count = 0,
        error_message = null, error_code = null, lease_token = null, lease_expires_at = null, attempt = 0, retry_count = 0,
        next_attempt_at = null
      where ${isDocument(scope)}
      returning d.id`,
    sql`
      delete from chunks c using documents d
      where ${isDocument(scope)} and (c.organization_id, c.document_id) = (d.organization_id, d.id)`,
  )
  if (agents.length === 0) agentNotFound()
  if (documents.length === 0) documentNotFound()
}

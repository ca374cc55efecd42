import { sql } from 'kysely'
import { type Database, violates } from '../../shared/database/database.ts'
import { type DocumentScope, isAgent, isDocument } from '../../shared/database/scope.ts'
import { toVectorRow } from '../../shared/database/vector-rows.ts'
import { selectDocument } from '../../shared/documents/client/chunks.ts'
import type { ChunkRow } from '../../shared/documents/contract/chunk.ts'
import { isManagedByService, processing } from '../../shared/documents/processing/guards.ts'
import { insertChunks, insertVectors } from '../../shared/documents/processing/new-chunks.ts'
import { rejectPastQuota } from '../../shared/documents/processing/quotas.ts'
import { takeOver } from '../../shared/documents/processing/transitions.ts'
import { ApiError } from '../../shared/http/errors.ts'
import { type IdempotentRequest, idempotently, ownsIdempotencyKey } from '../../shared/http/idempotency.ts'
import { requireDocument } from '../../shared/http/not-found.ts'
import { newId } from '../../shared/ids.ts'
import { keepClaims } from '../../shared/knowledge/claims.ts'
import { lockAfter, lockModel } from '../../shared/knowledge/locks.ts'
import { estimatedTokens } from '../../shared/limits/tokens.ts'
import { chunkTerms } from '../../shared/terms/indexed-terms.ts'
import { addNextVectors, type Stored } from './next-vectors.ts'
import type { ChunkInput, ChunksInput } from './schemas.ts'

const maxChunks = 10_000

/**
 * Stores all chunks or none. The first batch takes over a document of the service. With the name of the agent's next model, stored chunks
 * get a second vector. @throws ApiError
 */
export async function createChunks(
  db: Database,
  scope: DocumentScope,
  { chunks: inputs, embedding_model: model }: ChunksInput,
  by: string,
  request?: IdempotentRequest,
) {
  const rows = inputs.map((input) => toNewChunk(input))
  const vectors = rows.flatMap(({ vector }) => vector ?? [])
  const chunks = rows.map(({ vector, ...chunk }) => chunk)
  const ids = rows.map((row) => row.id)
  const indexes = rows.map((row) => row.chunk_index)
  const servingModel = sql<string | null>`(select a.model from agents a where ${isAgent(scope)})`
  const owns = sql<boolean>`(${ownsIdempotencyKey(request)} and ${model === undefined ? sql`true` : sql`${model} = ${servingModel}`})`
  const chunksThere = sql`documents d
    join chunks c on c.organization_id = d.organization_id and c.document_id = d.id and c.revision = d.revision
    where ${isDocument(scope)} and c.chunk_index = any(${indexes}::int[])`
  const isAccepted = sql<boolean>`(${owns} and not exists (select from ${chunksThere}))`
  const inserted = sql`${chunksThere} and c.id = any(${ids}::uuid[])`
  const isInserted = sql<boolean>`exists (select from ${inserted})`
  const count = db
    .updateTable('documents as d')
    .set((eb) => ({ chunk_count: eb('d.chunk_count', '+', rows.length) }))
    .where(isDocument(scope))
  const response = sql<{ response: Stored }>`select json_build_object('chunk_count', d.chunk_count, 'data', (
      select json_agg(json_build_object('id', c.id, 'chunk_index', c.chunk_index, 'token_count', c.token_count,
        'created_at', c.created_at) order by c.chunk_index) from ${inserted})) as response
    from documents d where ${isDocument(scope)} and ${isInserted}`

  const stored = await idempotently(db, request, response, {
    // Keeps the model that serves the agent until these chunks are stored.
    documents: lockAfter(selectDocument(db, scope).select(isServed.as('is_served')).forUpdate(), lockModel(scope)),
    ...(model !== undefined && {
      agents: sql<{ model: string | null; next_model: string | null }>`
        select a.model, a.next_model from agents a where ${isAgent(scope)}`,
    }),
    takenOver: processing.update(sql`${isDocument(scope)} and ${isManagedByService} and ${owns}`, takeOver(by)),
    conflicts: sql<{
      chunk_index: number
    }>`select c.chunk_index from ${chunksThere} and ${owns} order by c.chunk_index`,
    // Throws before anything is written.
    limit: count.where(isAccepted).where('d.chunk_count', '>', maxChunks - rows.length),
    ...(vectors.length > 0 && { vectors: insertVectors([{ scope, rows: vectors }], isAccepted, servingModel) }),
    chunks: insertChunks([{ scope, rows: chunks }], isAccepted),
    // After the chunks, which a trigger counts.
    count: count.where(isInserted),
  }).catch(rejectAboveLimit)
  const document = await requireDocument(db, scope, stored.results.documents)
  const [agent] = stored.results.agents ?? []
  const isOther = !stored.response && model !== undefined && model !== agent?.model
  if (isOther && model !== agent?.next_model) rejectModel()
  const outcome = isOther ? await addNextVectors(db, scope, model, inputs, request) : stored
  if (!outcome.response) throw conflict(outcome.results.conflicts, isOther)
  if (document.is_served) await keepClaims(db, scope)
  const texts = new Map(inputs.map(({ chunk_index, content, metadata }) => [chunk_index, { content, metadata }]))
  const data = outcome.response.data.map(
    (chunk): ChunkRow => ({
      document_id: scope.documentId,
      agent_id: scope.agentId,
      ...texts.get(chunk.chunk_index)!,
      ...chunk,
    }),
  )
  return { data, chunk_count: outcome.response.chunk_count, replayed: outcome.replayed }
}

const isServed = sql<boolean>`(not ${isManagedByService} and d.active_revision = d.revision)`

function toNewChunk({ embedding, token_count, ...chunk }: ChunkInput) {
  const id = newId()
  const vector = embedding && toVectorRow(id, embedding)
  return {
    id,
    ...chunk,
    token_count: token_count ?? estimatedTokens(chunk.content),
    vector_id: vector ? id : null,
    vector,
    terms: vector ? chunkTerms(chunk.content) : null,
  }
}

/** @throws ApiError */
function rejectModel(): never {
  const detail = 'must be the model that serves the agent, or its next one'
  throw new ApiError('validation_failed', 'See `errors` for each invalid field.', {
    errors: [{ pointer: '/embedding_model', code: 'invalid', detail }],
  })
}

function conflict(conflicts: { chunk_index: number }[], isOther: boolean): ApiError {
  return new ApiError(
    'chunk_index_conflict',
    isOther
      ? 'Chunks with these indexes are not stored with this content and an embedding, or already have one of the next model.'
      : 'Chunks with these indexes already exist. To replace them, delete all chunks of the document first.',
    { extra: { chunk_indexes: conflicts.map((row) => row.chunk_index) } },
  )
}

function rejectAboveLimit(error: unknown): never {
  if (violates(error, 'documents_chunk_limit'))
    throw new ApiError(
      'validation_failed',
      'A document can have at most 10,000 chunks, and this batch would exceed that.',
      { cause: error },
    )
  return rejectPastQuota(error)
}

import { sql } from 'kysely'
import { jsonArrayFrom, jsonBuildObject } from 'kysely/helpers/postgres'
import { type Database, violates } from '../../shared/database/database.ts'
import { type DocumentScope, findAgent, isDocument } from '../../shared/database/scope.ts'
import type { VectorRow } from '../../shared/database/vector-rows.ts'
import type { ChunkRow } from '../../shared/documents/chunk.ts'
import { selectDocument } from '../../shared/documents/chunks.ts'
import { insertChunks, insertTerms, insertVectors } from '../../shared/documents/new-chunks.ts'
import { isManagedByService, takeOver } from '../../shared/documents/transitions.ts'
import { sketchOf } from '../../shared/embedding/sketch.ts'
import { toStored } from '../../shared/embedding/vectors.ts'
import { ApiError } from '../../shared/http/errors.ts'
import { type IdempotentRequest, idempotently, ownsIdempotencyKey } from '../../shared/http/idempotency.ts'
import { requireDocument } from '../../shared/http/not-found.ts'
import { newId } from '../../shared/ids.ts'
import { indexedTerms } from '../../shared/terms/indexed-terms.ts'
import type { ChunkInput } from './schemas.ts'

const maxChunks = 10_000

/** Stores all chunks or none. The first batch takes over a document of the service. @throws ApiError */
export async function createChunks(
  db: Database,
  scope: DocumentScope,
  inputs: ChunkInput[],
  request?: IdempotentRequest,
) {
  const rows = inputs.map((input) => toNewChunk(input))
  const vectors = rows.flatMap(({ vector }) => vector ?? [])
  const terms = rows.flatMap((row) => row.terms ?? [])
  const chunks = rows.map(({ vector, terms, ...chunk }) => chunk)
  const ids = rows.map((row) => row.id)
  const indexes = rows.map((row) => row.chunk_index)
  const lock = selectDocument(db, scope).forUpdate()
  const takenOver = db
    .updateTable('documents as d')
    .set(takeOver)
    .where(isDocument(scope))
    .where(isManagedByService)
    .where(ownsIdempotencyKey(request))
  const conflicts = chunksAt(db, scope, indexes)
    .where(ownsIdempotencyKey(request))
    .select('c.chunk_index')
    .orderBy('c.chunk_index')
  const isAccepted = sql<boolean>`(${ownsIdempotencyKey(request)} and not exists (${chunksAt(db, scope, indexes).select('c.id')}))`
  const stored = chunksAt(db, scope, indexes).where('c.id', '=', anyOf<string>(ids, 'uuid'))
  const isInserted = sql<boolean>`exists (${stored.select('c.id')})`
  const count = db
    .updateTable('documents as d')
    .set((eb) => ({ chunk_count: eb('d.chunk_count', '+', rows.length) }))
    .where(isDocument(scope))
  const response = selectDocument(db, scope)
    .where(isInserted)
    .clearSelect()
    .select((eb) =>
      jsonBuildObject({
        data: jsonArrayFrom(
          stored.select(['c.id', 'c.chunk_index', 'c.token_count', 'c.created_at']).orderBy('c.chunk_index'),
        ),
        chunk_count: eb.ref('d.chunk_count'),
      }).as('response'),
    )

  const { results, ...outcome } = await idempotently(db, request, response, {
    agents: findAgent(scope),
    documents: lock,
    takenOver,
    conflicts,
    // Throws before anything is written.
    limit: count.where(isAccepted).where('d.chunk_count', '>', maxChunks - rows.length),
    ...(vectors.length > 0 && { vectors: insertVectors(db, [{ scope, rows: vectors }], isAccepted) }),
    chunks: insertChunks(db, [{ scope, rows: chunks }], isAccepted),
    ...(terms.length > 0 && { terms: insertTerms(db, [{ scope, rows: terms }], isInserted) }),
    // After the chunks, which a trigger counts.
    count: count.where(isInserted),
  }).catch(rejectAboveLimit)
  requireDocument(results)
  if (!outcome.response) throw conflict(results.conflicts)
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

function toNewChunk({ embedding, token_count, ...chunk }: ChunkInput) {
  const id = newId()
  const vector: VectorRow | undefined = embedding && { id, ...toStored(embedding), sketch: sketchOf(embedding) }
  return {
    id,
    ...chunk,
    token_count: token_count ?? estimateTokens(chunk.content),
    vector_id: vector ? id : null,
    vector,
    terms: vector && { chunk_index: chunk.chunk_index, ...indexedTerms(chunk.content) },
  }
}

function estimateTokens(content: string): number {
  return Math.ceil(content.length / 4)
}

function chunksAt(db: Database, scope: DocumentScope, indexes: number[]) {
  return db
    .selectFrom('documents as d')
    .innerJoin('chunks as c', (join) =>
      join
        .onRef('c.organization_id', '=', 'd.organization_id')
        .onRef('c.document_id', '=', 'd.id')
        .onRef('c.revision', '=', 'd.revision'),
    )
    .where(isDocument(scope))
    .where('c.chunk_index', '=', anyOf<number>(indexes, 'int'))
}

function anyOf<T>(values: T[], type: 'int' | 'uuid') {
  return sql<T>`any(${values}::${sql.raw(type)}[])`
}

function conflict(conflicts: { chunk_index: number }[]): ApiError {
  return new ApiError(
    'chunk_index_conflict',
    'Chunks with these indexes already exist. To replace them, delete all chunks of the document first.',
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
  throw error
}

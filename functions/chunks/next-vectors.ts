import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Database } from '../../shared/database/database.ts'
import { recordset } from '../../shared/database/recordset.ts'
import { type DocumentScope, isAgent, isDocument } from '../../shared/database/scope.ts'
import { toVectorRow } from '../../shared/database/vector-rows.ts'
import { selectDocument } from '../../shared/documents/client/chunks.ts'
import type { ChunkRow } from '../../shared/documents/contract/chunk.ts'
import { insertVectors } from '../../shared/documents/processing/new-chunks.ts'
import { type IdempotentRequest, idempotently, ownsIdempotencyKey } from '../../shared/http/idempotency.ts'
import { newId } from '../../shared/ids.ts'
import { lockAfter, lockModel } from '../../shared/knowledge/locks.ts'
import type { ChunkInput } from './schemas.ts'

export interface Stored {
  chunk_count: number
  data: (Pick<ChunkRow, 'id' | 'chunk_index' | 'token_count' | 'created_at'> & Partial<Pick<ChunkRow, 'metadata'>>)[]
}

const columns = { chunk_index: 'int', hash: 'bytea', vector_id: 'uuid' } as const

/**
 * Gives a client's stored chunks their vectors of the agent's next model: all or none. If none, the response is null, and the conflicts
 * are the chunks that are not stored with this content and a vector, or already have one of the next model.
 */
export function addNextVectors(
  db: Database,
  scope: DocumentScope,
  model: string,
  inputs: ChunkInput[],
  request: IdempotentRequest | undefined,
) {
  const vectors = inputs.flatMap(({ embedding, chunk_index }) =>
    embedding ? [{ chunk_index, ...toVectorRow(newId(), embedding) }] : [],
  )
  const vectorIds = new Map(vectors.map(({ chunk_index, id }) => [chunk_index, id]))
  const rows = inputs.map(({ chunk_index, content }) => ({
    chunk_index,
    hash: `\\x${createHash('sha256').update(content).digest('hex')}`,
    vector_id: vectorIds.get(chunk_index),
  }))
  const uploaded = recordset('w', columns, rows)
  const isUnderWay = sql`exists (
    select from agents a where ${isAgent(scope)} and a.next_model = ${model} and a.former_model is null)`
  const isOpen = sql`c.organization_id = d.organization_id and c.document_id = d.id and c.revision = d.revision
    and ${isDocument(scope)} and d.managed_by = 'client' and c.chunk_index = w.chunk_index
    and sha256(convert_to(c.content, 'UTF8')) = w.hash and w.vector_id is not null and c.vector_id is not null
    and c.other_vector_id is null and ${isUnderWay} and ${ownsIdempotencyKey(request)}`
  const isClosed = sql`not exists (select from documents d, chunks c where ${isOpen})`
  const given = sql`chunks c where c.organization_id = ${scope.organizationId} and c.document_id = ${scope.documentId}
    and c.other_vector_id = any (${vectors.map(({ id }) => id)}::uuid[])`
  return idempotently(
    db,
    request,
    sql<{ response: Stored }>`select json_build_object('chunk_count', d.chunk_count, 'data', (
        select json_agg(json_build_object('id', c.id, 'chunk_index', c.chunk_index, 'token_count', c.token_count,
          'metadata', c.metadata, 'created_at', c.created_at) order by c.chunk_index) from ${given})) as response
      from documents d where ${isDocument(scope)} and exists (select from ${given})`,
    {
      documents: lockAfter(selectDocument(db, scope).forUpdate(), lockModel(scope)),
      conflicts: sql<{
        chunk_index: number
      }>`select w.chunk_index from ${uploaded} where ${isClosed} order by w.chunk_index`,
      vectors: insertVectors(
        [{ scope, rows: vectors }],
        sql<boolean>`not exists (select from ${uploaded} where ${isClosed})`,
        model,
      ),
      given: sql`update chunks c set other_vector_id = w.vector_id from documents d, ${uploaded}, vectors v
        where ${isOpen} and v.organization_id = ${scope.organizationId} and v.document_id = d.id and v.id = w.vector_id`,
    },
  )
}

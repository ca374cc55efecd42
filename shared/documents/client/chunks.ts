import { sql } from 'kysely'
import { columnsOf } from '../../database/columns.ts'
import type { Database } from '../../database/database.ts'
import { type DocumentScope, isDocument } from '../../database/scope.ts'
import { findDocument, requireDocument } from '../../http/not-found.ts'
import { pageBytes } from '../../http/payload.ts'
import { commit, outdated } from '../../knowledge/commit.ts'
import type { ChunkRow } from '../contract/chunk.ts'
import { chunkMetadata, deleteUnusedVectors, isServed } from '../processing/served-chunks.ts'
import { empty } from '../processing/transitions.ts'

const c = columnsOf('chunks', 'c')
const d = columnsOf('documents', 'd')
const isListed = sql<boolean>`(case when ${d.managed_by} = 'client' then ${c.revision} = ${d.revision} else ${isServed} end)`

const maxEmbeddingBytes = 35_000

/** The served chunks, or those that the client has stored so far. @throws ApiError agent_not_found, document_not_found */
export async function listChunks(
  db: Database,
  scope: DocumentScope,
  { limit, after, include }: { limit: number; after?: number | undefined; include?: 'embedding' | undefined },
) {
  const { organizationId, documentId } = scope
  const withEmbedding = include === 'embedding'
  const isOwn = sql`c.organization_id = ${organizationId} and c.document_id = ${documentId}`
  const vectors = sql`left join vectors v on v.organization_id = ${organizationId} and v.document_id = ${documentId} and v.id = page.vector_id`
  const page = sql<ChunkRow & { available: string }>`
    with keys as (
      select c.revision, c.chunk_index from documents d join chunks c on ${isOwn} and ${isListed}
      where ${isDocument(scope)} and c.chunk_index > ${after ?? -1}
      order by c.chunk_index limit ${limit + 1}
    ), page as (
      select c.id, c.document_id, c.agent_id, c.content, c.chunk_index, c.token_count, c.created_at, c.vector_id,
        ${chunkMetadata} as metadata, row_number() over (order by c.chunk_index) as position,
        sum(octet_length(c.content) + octet_length(c.metadata::text) + ${withEmbedding ? maxEmbeddingBytes : 0}::int)
          over (order by c.chunk_index) as bytes
      from keys k
        join documents d on ${isDocument(scope)}
        join chunks c on ${isOwn} and c.revision = k.revision and c.chunk_index = k.chunk_index
    )
    select page.id, page.document_id, page.agent_id, page.content, page.chunk_index, page.token_count, page.metadata,
      page.created_at, ${withEmbedding ? sql`v.embedding, v.exponent,` : sql``} (select count(*) from page) as available
    from page ${withEmbedding ? vectors : sql``}
    where position = 1 or position <= ${limit} and bytes <= ${pageBytes}
    order by chunk_index`
  const { chunks } = await db.batch({ chunks: page })
  if (chunks.length === 0) await findDocument(db, scope)
  return { chunks, hasMore: chunks.length > 0 && chunks.length < Number(chunks[0]!.available) }
}

/**
 * Deletes all chunks: the document becomes the client's, pending and not served. @param ignores checks that would fail
 * @throws ApiError agent_not_found, document_not_found, golden_questions_fail
 */
export async function deleteChunks(db: Database, scope: DocumentScope, by: string, ignores = false): Promise<void> {
  await commit(db, scope, () => ({
    effects: [{ document_id: scope.documentId, action: 'removes' }],
    ignores,
    async make(permit) {
      const { documents, emptied } = await db.batch({
        documents: permit.lock(selectDocument(db, scope).forNoKeyUpdate()),
        emptied: db
          .with('emptied', (db) =>
            db
              .updateTable('documents as d')
              .set({ ...empty(by), ...permit.warnings })
              .where(isDocument(scope))
              .where(sql<boolean>`(${d.active_revision} is null or ${permit.isValid})`)
              .returning('d.id'),
          )
          .with(
            'deleted',
            () => sql`(delete from chunks c using emptied
              where c.organization_id = ${scope.organizationId} and c.document_id = ${scope.documentId})`,
          )
          .selectFrom('emptied')
          .select('id'),
        // This statement's snapshot no longer has the chunks.
        unused: deleteUnusedVectors(scope),
      })
      await requireDocument(db, scope, documents)
      return emptied.length > 0 ? undefined : outdated
    },
  }))
}

export function selectDocument(db: Database, scope: DocumentScope) {
  return db.selectFrom('documents as d').select('d.id').where(isDocument(scope))
}

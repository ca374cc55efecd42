import { sql } from 'kysely'
import { columnsOf } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { type DocumentScope, findAgent, isDocument } from '../database/scope.ts'
import { requireDocument } from '../http/not-found.ts'
import { pageBytes } from '../http/payload.ts'
import { chunkColumns } from './chunk.ts'
import { chunkMetadata, deleteUnusedVectors, isServed } from './served-chunks.ts'
import { empty } from './transitions.ts'

const c = columnsOf('chunks', 'c')
const d = columnsOf('documents', 'd')
const isListed = sql<boolean>`(case when ${d.managed_by} = 'client' then ${c.revision} = ${d.revision} else ${isServed} end)`

/** The most that an embedding takes as JSON. */
const maxEmbeddingBytes = 35_000

/**
 * The chunks being served or, if the client manages the document, stored so far. Large ones shorten a page, to one at least.
 * @throws ApiError agent_not_found, document_not_found
 */
export async function listChunks(
  db: Database,
  scope: DocumentScope,
  { limit, after, include }: { limit: number; after?: number | undefined; include?: 'embedding' | undefined },
) {
  const withEmbedding = include === 'embedding'
  const page = db
    .with('keys', (cte) =>
      cte
        .selectFrom('documents as d')
        .innerJoin('chunks as c', (join) =>
          join
            .on('c.organization_id', '=', scope.organizationId)
            .on('c.document_id', '=', scope.documentId)
            .on(isListed),
        )
        .where(isDocument(scope))
        .where('c.chunk_index', '>', after ?? -1)
        .select(['c.document_id', 'c.revision', 'c.chunk_index'])
        .orderBy('c.chunk_index')
        .limit(limit + 1),
    )
    .with('page', (cte) =>
      cte
        .selectFrom('keys as k')
        .innerJoin('documents as d', (join) =>
          join.on('d.organization_id', '=', scope.organizationId).onRef('d.id', '=', 'k.document_id'),
        )
        .innerJoin('chunks as c', (join) =>
          join
            .on('c.organization_id', '=', scope.organizationId)
            .on('c.document_id', '=', scope.documentId)
            .onRef('c.revision', '=', 'k.revision')
            .onRef('c.chunk_index', '=', 'k.chunk_index'),
        )
        .select(['c.id', 'c.document_id', 'c.agent_id', 'c.content', 'c.chunk_index', 'c.token_count', 'c.created_at'])
        .select([chunkMetadata.as('metadata'), 'c.vector_id'])
        .select(({ fn, ref }) => [
          fn
            .agg<number>('row_number')
            .over((over) => over.orderBy('c.chunk_index'))
            .as('position'),
          fn
            .sum<number>(
              sql`octet_length(${ref('c.content')}) + octet_length(${ref('c.metadata')}::text)
                + ${withEmbedding ? maxEmbeddingBytes : 0}::int`,
            )
            .over((over) => over.orderBy('c.chunk_index'))
            .as('bytes'),
        ]),
    )
    .selectFrom('page')
    .select(chunkColumns.map((column) => `page.${column}` as const))
    .$if(withEmbedding, (query) =>
      query
        .leftJoin('vectors as v', (join) =>
          join
            .on('v.organization_id', '=', scope.organizationId)
            .on('v.document_id', '=', scope.documentId)
            .onRef('v.id', '=', 'page.vector_id'),
        )
        .select(['v.embedding', 'v.exponent']),
    )
    .select((eb) => eb.selectFrom('page').select(eb.fn.countAll<string>().as('count')).as('available'))
    .where('position', '<=', limit)
    .where((eb) => eb.or([eb('position', '=', 1), eb('bytes', '<=', pageBytes)]))
    .orderBy('chunk_index')
  const results = await db.batch({ agents: findAgent(scope), documents: selectDocument(db, scope), page })
  requireDocument(results)
  const chunks = results.page
  return { chunks, hasMore: chunks.length > 0 && chunks.length < Number(chunks[0]!.available) }
}

/** The document is then the client's, pending and not served. @throws ApiError agent_not_found, document_not_found */
export async function deleteChunks(db: Database, scope: DocumentScope): Promise<void> {
  const results = await db.batch({
    agents: findAgent(scope),
    documents: db.updateTable('documents as d').set(empty).where(isDocument(scope)).returning('d.id'),
    deleted: db
      .deleteFrom('chunks as c')
      .using('documents as d')
      .where(isDocument(scope))
      .whereRef('c.organization_id', '=', 'd.organization_id')
      .whereRef('c.document_id', '=', 'd.id'),
    unused: deleteUnusedVectors(db, scope),
  })
  requireDocument(results)
}

export function selectDocument(db: Database, scope: DocumentScope) {
  return db.selectFrom('documents as d').select('d.id').where(isDocument(scope))
}

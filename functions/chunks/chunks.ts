import { sql } from 'kysely'
import type { Database } from '../../shared/database/database.ts'
import { type DocumentScope, findAgent, isDocument, requireDocument } from '../../shared/database/scope.ts'
import { empty } from '../../shared/documents/transitions.ts'
import { pageBytes } from '../../shared/http/payload.ts'
import { chunkColumns } from './chunk.ts'

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
    .with('page', (cte) =>
      cte
        .selectFrom('documents as d')
        .innerJoin('chunks as c', (join) =>
          join
            .onRef('c.organization_id', '=', 'd.organization_id')
            .onRef('c.document_id', '=', 'd.id')
            .on((eb) =>
              eb(
                'c.revision',
                '=',
                eb
                  .case()
                  .when('d.managed_by', '=', 'client')
                  .then(eb.ref('d.revision'))
                  .else(eb.ref('d.active_revision'))
                  .end(),
              ),
            ),
        )
        .where(isDocument(scope))
        .where('c.chunk_index', '>', after ?? -1)
        .selectAll('c')
        .select(({ fn, ref }) => [
          fn
            .agg<number>('row_number')
            .over((over) => over.orderBy('c.chunk_index'))
            .as('position'),
          fn
            .sum<number>(
              sql`octet_length(${ref('c.content')}) + octet_length(${ref('c.metadata')}::text)
                + ${withEmbedding ? sql`coalesce(octet_length(${ref('c.embedding')}::text), 0)` : sql`0`}`,
            )
            .over((over) => over.orderBy('c.chunk_index'))
            .as('bytes'),
        ])
        .orderBy('c.chunk_index')
        .limit(limit + 1),
    )
    .selectFrom('page')
    .select(chunkColumns)
    .$if(withEmbedding, (query) => query.select('embedding'))
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
  })
  requireDocument(results)
}

export function selectDocument(db: Database, scope: DocumentScope) {
  return db.selectFrom('documents as d').select('d.id').where(isDocument(scope))
}

import { sql } from 'kysely'
import type { Database } from '../../shared/database/database.ts'
import { type AgentScope, agentNotFound, findAgent } from '../../shared/database/scope.ts'
import { chunkMetadata } from '../../shared/documents/served-chunks.ts'
import { payloadLimit } from '../../shared/http/payload.ts'
import { type Filters, fence, withNearest } from './nearest-chunks.ts'
import type { Hit } from './schemas.ts'

/**
 * Best first by cosine, ties by document and index; one statement, hence one snapshot. Fewer than `limit` if more would not fit
 * into a response, but at least one if any.
 * @throws ApiError agent_not_found
 */
export async function search(
  db: Database,
  scope: AgentScope,
  vector: ArrayLike<number>,
  filters: Filters,
): Promise<Hit[]> {
  const results = await db.batch({ agents: findAgent(scope), hits: selectHits(db, scope, vector, filters) })
  if (results.agents.length === 0) agentNotFound()
  return results.hits
}

function selectHits(db: Database, scope: AgentScope, vector: ArrayLike<number>, filters: Filters) {
  const { limit, min_score } = filters
  return withNearest(db, scope, vector, filters)
    .with('best', (db) =>
      db
        .selectFrom('nearest')
        .selectAll()
        .$if(min_score !== undefined, (query) => query.where('score', '>=', min_score!))
        .orderBy('score', 'desc')
        .orderBy('document_id')
        .orderBy('chunk_index')
        .limit(limit),
    )
    .with('sized', (db) =>
      db
        .selectFrom('best as n')
        .innerJoin('documents as d', (join) =>
          join.on('d.organization_id', '=', scope.organizationId).onRef('d.id', '=', 'n.document_id'),
        )
        .crossJoinLateral((from) =>
          from
            .selectFrom('chunks as c')
            .select(['c.id', 'c.content', 'c.token_count', chunkMetadata.as('metadata')])
            .where('c.organization_id', '=', scope.organizationId)
            .whereRef('c.document_id', '=', 'n.document_id')
            .whereRef('c.revision', '=', 'n.revision')
            .whereRef('c.chunk_index', '=', 'n.chunk_index')
            .offset(fence)
            .as('c'),
        )
        .select(['c.id as chunk_id', 'n.document_id', 'd.title as document_title', 'n.chunk_index', 'c.content'])
        .select(['c.token_count', 'c.metadata', 'n.score'])
        .select(({ ref }) => {
          const best = sql`over (order by ${ref('n.score')} desc, ${ref('n.document_id')}, ${ref('n.chunk_index')})`
          const bytes = sql`octet_length(${ref('c.content')}) + octet_length(${ref('c.metadata')}::text)`
          return [sql<number>`row_number() ${best}`.as('position'), sql<number>`sum(${bytes}) ${best}`.as('bytes')]
        }),
    )
    .selectFrom('sized')
    .select(['chunk_id', 'document_id', 'document_title', 'chunk_index', 'content', 'token_count', 'metadata', 'score'])
    .where((eb) => eb.or([eb('position', '=', 1), eb('bytes', '<=', payloadLimit)]))
    .orderBy('position')
}

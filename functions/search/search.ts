import { sql } from 'kysely'
import type { Database } from '../../shared/database/database.ts'
import { type AgentScope, agentNotFound, findAgent } from '../../shared/database/scope.ts'
import { toSql } from '../../shared/embedding/vectors.ts'
import { payloadLimit } from '../../shared/http/payload.ts'
import type { Hit, SearchInput } from './schemas.ts'

/**
 * Best first by cosine, ties by document and index. Exact: one statement, hence one snapshot, compares every chunk of an active
 * revision. Fewer than `limit` if more would not fit into a response, but at least one if any.
 * @throws ApiError agent_not_found
 */
export async function search(
  db: Database,
  scope: AgentScope,
  vector: ArrayLike<number>,
  { limit, min_score, document_ids, metadata }: Pick<SearchInput, 'limit' | 'min_score' | 'document_ids' | 'metadata'>,
): Promise<Hit[]> {
  const hits = db
    .with(
      (cte) => cte('query').materialized(),
      (cte) => cte.selectNoFrom(sql<string>`${toSql(vector)}::vector(1536)`.as('embedding')),
    )
    .with('nearest', (cte) =>
      cte
        .selectFrom('documents as d')
        .crossJoinLateral((from) =>
          from
            .selectFrom('chunks as c')
            .crossJoin('query')
            .select(['c.id', 'c.document_id', 'c.chunk_index', 'c.content', 'c.token_count', 'c.metadata'])
            .select(({ ref }) => sql<number>`1 - (${ref('c.embedding')} <=> ${ref('query.embedding')})`.as('score'))
            .whereRef('c.organization_id', '=', 'd.organization_id')
            .whereRef('c.document_id', '=', 'd.id')
            .whereRef('c.revision', '=', 'd.active_revision')
            .where('c.embedding', 'is not', null)
            .$if(metadata !== undefined, (query) =>
              query.where('c.metadata', '@>', sql<SearchInput['metadata']>`${JSON.stringify(metadata)}::jsonb`),
            )
            // A fence: what is inside is neither merged with the rest, which would compute the distance once for each reference
            // to it, nor joined in another way than document by document through the chunks' primary key.
            .offset(sql.lit(0))
            .as('c'),
        )
        .select(['c.id as chunk_id', 'c.document_id', 'd.title as document_title', 'c.chunk_index', 'c.content'])
        .select(['c.token_count', 'c.metadata', 'c.score'])
        .where('d.organization_id', '=', scope.organizationId)
        .where('d.agent_id', '=', scope.agentId)
        .$if(document_ids !== undefined, (query) => query.where('d.id', '=', sql<string>`any(${document_ids}::uuid[])`))
        .$if(min_score !== undefined, (query) => query.where('c.score', '>=', min_score!))
        .orderBy('c.score', 'desc')
        .orderBy('c.document_id')
        .orderBy('c.chunk_index')
        .limit(limit),
    )
    .with('sized', (cte) =>
      cte
        .selectFrom('nearest as n')
        .selectAll('n')
        .select(({ ref }) => {
          const best = sql`over (order by ${ref('n.score')} desc, ${ref('n.document_id')}, ${ref('n.chunk_index')})`
          const bytes = sql`octet_length(${ref('n.content')}) + octet_length(${ref('n.metadata')}::text)`
          return [sql<number>`row_number() ${best}`.as('position'), sql<number>`sum(${bytes}) ${best}`.as('bytes')]
        }),
    )
    .selectFrom('sized')
    .select(['chunk_id', 'document_id', 'document_title', 'chunk_index', 'content', 'token_count', 'metadata', 'score'])
    .where((eb) => eb.or([eb('position', '=', 1), eb('bytes', '<=', payloadLimit)]))
    .orderBy('position')
  const results = await db.batch({ agents: findAgent(scope), hits })
  if (results.agents.length === 0) agentNotFound()
  return results.hits
}

/** @throws ApiError agent_not_found */
export async function requireAgent(db: Database, scope: AgentScope): Promise<void> {
  const { rows } = await findAgent(scope).execute(db)
  if (rows.length === 0) agentNotFound()
}

import { sql } from 'kysely'
import type { Database } from '../../shared/database/database.ts'
import { type AgentScope, agentNotFound, findAgent } from '../../shared/database/scope.ts'
import { toSql } from '../../shared/embedding/vectors.ts'
import { payloadLimit } from '../../shared/http/payload.ts'
import type { Hit, SearchInput } from './schemas.ts'

/**
 * The agent's chunks nearest to the vector by cosine, best first, ties by document and index. Exact: every chunk that is in
 * service is compared, in one statement and so in one snapshot, where a document has one active revision or none. There are
 * fewer than `limit` when more could not be carried by one answer, but always at least one if there is one.
 * @throws ApiError agent_not_found
 */
export async function search(
  db: Database,
  scope: AgentScope,
  vector: ArrayLike<number>,
  { limit, min_score, document_ids, metadata }: Pick<SearchInput, 'limit' | 'min_score' | 'document_ids' | 'metadata'>,
): Promise<Hit[]> {
  const [agents, hits] = await db.batch(
    findAgent(scope),
    // `offset 0` fences: what is inside is neither merged with the rest, which would compute the distance once for each place
    // that names it, nor joined in another way than document by document through the chunks' primary key.
    sql<Hit>`
      with query as materialized (select ${toSql(vector)}::vector(1536) as embedding),
      nearest as (
        select c.id as chunk_id, c.document_id, d.title as document_title, c.chunk_index, c.content, c.token_count, c.metadata, c.score
        from documents d
        cross join lateral (
          select c.id, c.document_id, c.chunk_index, c.content, c.token_count, c.metadata, 1 - (c.embedding <=> query.embedding) as score
          from chunks c cross join query
          where (c.organization_id, c.document_id, c.revision) = (d.organization_id, d.id, d.active_revision)
            and c.embedding is not null
            and ${metadata ? sql`c.metadata @> ${JSON.stringify(metadata)}::jsonb` : sql`true`}
          offset 0
        ) c
        where d.organization_id = ${scope.organizationId} and d.agent_id = ${scope.agentId}
          and ${document_ids ? sql`d.id = any(${document_ids}::uuid[])` : sql`true`}
          and ${min_score === undefined ? sql`true` : sql`c.score >= ${min_score}`}
        order by c.score desc, c.document_id, c.chunk_index
        limit ${limit}
      ),
      weighed as (
        select nearest.*, row_number() over best_first as position,
          sum(octet_length(content) + octet_length(metadata::text)) over best_first as bytes
        from nearest
        window best_first as (order by score desc, document_id, chunk_index)
      )
      select chunk_id, document_id, document_title, chunk_index, content, token_count, metadata, score
      from weighed
      where position = 1 or bytes <= ${payloadLimit}
      order by position`,
  )
  if (agents.length === 0) agentNotFound()
  return hits
}

/** @throws ApiError agent_not_found */
export async function requireAgent(db: Database, scope: AgentScope): Promise<void> {
  const { rows } = await findAgent(scope).execute(db)
  if (rows.length === 0) agentNotFound()
}

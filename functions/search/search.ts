import { sql } from 'kysely'
import type { Database } from '../../shared/database.ts'
import { pageBytes } from '../../shared/page-bytes.ts'
import { type AgentScope, agentNotFound, findAgent } from '../../shared/scope.ts'
import { toSql } from '../../shared/vectors.ts'
import type { Hit, SearchInput } from './schemas.ts'

/**
 * The agent's chunks nearest to the vector by cosine, best first, ties by document and index. Exact: every chunk that is in
 * service is compared, in one statement and so in one snapshot, where a document has one active revision or none. There are
 * fewer than `limit` when their texts together are large, but always at least one if there is one.
 * @throws ApiError agent_not_found
 */
export async function search(
  db: Database,
  scope: AgentScope,
  vector: ArrayLike<number>,
  { limit, min_score, document_ids, metadata }: Pick<SearchInput, 'limit' | 'min_score' | 'document_ids' | 'metadata'>,
): Promise<Hit[]> {
  const nearest = sql`
    select hits.*
    from agents a
    left join lateral (
      select c.id as chunk_id, c.document_id, d.title as document_title, c.chunk_index, c.content, c.token_count, c.metadata,
        1 - distance as score
      from documents d
      join chunks c on (c.organization_id, c.document_id, c.revision) = (d.organization_id, d.id, d.active_revision)
      cross join query
      cross join lateral (select c.embedding <=> query.embedding as distance) measured
      where (d.organization_id, d.agent_id) = (a.organization_id, a.id)
        and c.embedding is not null
        and ${document_ids ? sql`d.id = any(${document_ids}::uuid[])` : sql`true`}
        and ${metadata ? sql`c.metadata @> ${JSON.stringify(metadata)}::jsonb` : sql`true`}
        and ${min_score === undefined ? sql`true` : sql`1 - distance >= ${min_score}`}
      order by distance, c.document_id, c.chunk_index
      limit ${limit}
    ) hits on true
    where a.organization_id = ${scope.organizationId} and a.id = ${scope.agentId}`
  const { rows } = await sql<Hit | { chunk_id: null }>`
    with query as materialized (select ${toSql(vector)}::vector(1536) as embedding),
    weighed as (
      select nearest.*, row_number() over best_first as position,
        sum(octet_length(content) + octet_length(metadata::text)) over best_first as bytes
      from (${nearest}) nearest
      window best_first as (order by score desc, document_id, chunk_index)
    )
    select chunk_id, document_id, document_title, chunk_index, content, token_count, metadata, score
    from weighed
    where position = 1 or bytes <= ${pageBytes}
    order by position`.execute(db)
  if (rows.length === 0) agentNotFound()
  return rows.filter((row) => row.chunk_id !== null)
}

/** @throws ApiError agent_not_found */
export async function requireAgent(db: Database, scope: AgentScope): Promise<void> {
  const { rows } = await findAgent(scope).execute(db)
  if (rows.length === 0) agentNotFound()
}

import { sql } from 'kysely'
import { compiledOnce, type Parameters } from '../../database/compiled-once.ts'
import { chunkMetadata } from '../../documents/served-chunks.ts'
import { payloadLimit } from '../../http/payload.ts'
import type { Hit } from '../schemas.ts'
import { scored } from './fusion.ts'
import { keywordArm } from './keyword-arm.ts'
import type { SearchParameters } from './search-parameters.ts'
import { unserved } from './searched-chunks.ts'
import { exactChunks, type Likeness, semanticArm } from './semantic-arm.ts'

export type Row = {
  is_agent: boolean
  has_vector: boolean
  is_large: boolean | null
  /** The score of the hit after this one. */
  next: number | null
  semantic: number
  keyword: number
} & Likeness &
  (Omit<Hit, 'scores'> | { chunk_id: null })

/** Hits, best first, ties by document and index. At least one row, whose hit may be null. */
export const hits = compiledOnce<SearchParameters, Row>((_, p) => {
  const minimum = p.minScore === undefined ? sql`` : sql`and score >= ${p.minScore}`
  const order = sql`score desc, document_id, chunk_index`
  return sql<Row>`with ${arms(p)},
best as (
  select *, row_number() over (order by ${order}) as position, lead(score) over (order by ${order}) as next
  from (select * from scored order by ${order} limit ${p.limit}::int + 1) s),
sized as (
  select c.id as chunk_id, n.document_id, d.title as document_title, n.chunk_index, c.content, c.token_count, c.metadata,
    n.score, n.next, n.semantic, n.keyword, n.position,
    sum(octet_length(c.content) + octet_length(c.metadata::text)) over (order by n.position) as bytes
  from (select * from best where position <= ${p.limit}::int ${minimum}) n
  cross join lateral (
    select title, active_revision, chunk_offsets from documents
    where organization_id = ${p.organizationId} and id = n.document_id offset 0) d
  cross join lateral (
    select id, content, token_count, ${chunkMetadata} as metadata from chunks c
    where organization_id = ${p.organizationId} and document_id = n.document_id and revision = n.revision
      and chunk_index = n.chunk_index offset 0) c),
agent as (
  select exists (select from agents where organization_id = ${p.organizationId} and id = ${p.agentId}) as is_agent,
    ${p.isSemantic ? sql`exists (select from query)` : sql`false`} as has_vector, ${isLarge(p)} as is_large,
    ${p.isJudged ? sql`unlike, reach from likeness` : sql`0 as unlike, 1 as reach`})
select is_agent, has_vector, is_large, unlike, reach, next, semantic, keyword,
  chunk_id, document_id, document_title, chunk_index, content, token_count, metadata, score
from agent left join sized on position = 1 or bytes <= ${payloadLimit}
order by position`
})

export function arms(p: Parameters<SearchParameters>) {
  const parts = [unserved(p)]
  if (p.isKeyword) parts.push(keywordArm(p))
  if (p.isSemantic) parts.push(semanticArm(p))
  return sql.join([...parts, scored(p)], sql`,\n`)
}

/** Whether the shape for a large agent is the faster one. */
export function isLarge({ isSemantic, isKeyword }: Parameters<SearchParameters>) {
  if (isSemantic) return sql`(select is_large from size)`
  return isKeyword ? sql`(select all_chunks > ${sql.lit(exactChunks)} from totals)` : sql`null::boolean`
}

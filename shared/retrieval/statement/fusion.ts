import { sql } from 'kysely'
import type { Parameters } from '../../database/compiled-once.ts'
import { certainty } from './keyword-arm.ts'
import type { SearchParameters } from './search-parameters.ts'
import { cosine, likenessOf } from './semantic-arm.ts'

/** How much of the score stays where the agent has none of the question's words. */
const trust = 0.2

/** The common table expression `scored`: what the arms have found, in no order. */
export function scored(p: Parameters<SearchParameters>) {
  return sql`scored as (${select(p)})`
}

function select(p: Parameters<SearchParameters>) {
  const key = sql`document_id, revision, chunk_index`
  if (p.isSemantic && p.isKeyword) return fused(p)
  if (p.isSemantic)
    return sql`
  select ${key}, ${p.isHybrid ? likenessOf(sql`score`) : sql`score`} as score, score as semantic, null::float8 as keyword
  from nearest`
  if (p.isKeyword)
    return sql`
  select ${key}, keyword as score, null::float8 as semantic, keyword
  from (select ${key}, ${certain(sql`score`)} as keyword from keyword) k`
  return sql`
  select ${key}, 0::float8 as score, null::float8 as semantic, null::float8 as keyword from chunks where false`
}

/**
 * A weighted sum of scores on scales that do not depend on other hits (Bruch et al. 2023), so comparable between questions. Words of
 * which the agent has few say little, and so does a likeness without any word in common.
 */
function fused(p: Parameters<SearchParameters>) {
  const share = sql`(select ${p.keywordWeight}::float8 * known from question)`
  const both = sql`(select ${sql.lit(trust)} + ${sql.lit(1 - trust)} * known from question)
      * (${share} * coalesce(keyword, 0) + (1 - ${share}) * ${likenessOf(sql`semantic`)})`
  // `offset 0`: a chunk's vector is looked up once, by the columns of a key instead of expressions.
  return sql`
  select document_id, revision, chunk_index, semantic, ${certain(sql`keyword`)} as keyword,
    ${certain(sql`case when semantic is null then keyword else ${both} end`)} as score
  from (
    select document_id, revision, chunk_index, keyword, is_certain,
      coalesce(n.score, (select ${cosine(sql`v.embedding`)} from chunks c, vectors v
        where c.organization_id = ${p.organizationId} and c.agent_id = ${p.agentId} and c.document_id = n.document_id
          and c.revision = n.revision and c.chunk_index = n.chunk_index
          and v.organization_id = ${p.organizationId} and v.document_id = n.document_id and v.id = c.vector_id)) as semantic
    from (
      select document_id, revision, chunk_index, nearest.score, keyword.score as keyword, is_certain
      from nearest full join keyword using (document_id, revision, chunk_index) offset 0) n
    offset 0) n`
}

function certain(score: ReturnType<typeof sql>) {
  return sql`(case when is_certain then ${sql.lit(certainty)} + ${sql.lit(1 - certainty)} * ${score} else ${score} end)`
}

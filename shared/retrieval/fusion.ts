import { type QueryCreator, sql } from 'kysely'
import { columnsOf } from '../database/columns.ts'
import type { Parameters } from '../database/compiled-once.ts'
import type { Similarity } from '../embedding/embedder.ts'
import { certainty, type Sought, withKeyword } from './keyword/keyword-chunks.ts'
import { fence, type WithUnserved } from './searched.ts'
import { cosine, type Near, type Query, withNearest } from './semantic/nearest-chunks.ts'

/** Of the keyword arm, where the agent has all words of the question; it falls with the share of them that it has. */
const keywordWeight = 0.6

export type Arms = Near &
  Sought &
  Similarity & {
    isSemantic: boolean
    /** Whether there is anything to be sought by words. */
    isKeyword: boolean
    isHybrid: boolean
  }

export interface Scored {
  document_id: string
  revision: number
  chunk_index: number
  score: number
  semantic: number | null
  keyword: number | null
}

export type WithScored = WithUnserved & { scored: Scored; query: Query; size: { is_large: boolean } }

/** Adds the common table expression `scored`: what the arms of the search have found, in no order. */
export function withScored(db: QueryCreator<WithUnserved>, arms: Parameters<Arms>): QueryCreator<WithScored> {
  const withArms = arms.isKeyword ? (withKeyword(db, arms) as QueryCreator<WithUnserved>) : db
  const all = (arms.isSemantic ? withNearest(withArms, arms) : withArms) as QueryCreator<WithUnserved>
  return all.with('scored', () => sql<Scored>`(${scored(arms)})`) as unknown as QueryCreator<WithScored>
}

const n = columnsOf('chunks', 'n')
const found = sql.join([n.document_id, n.revision, n.chunk_index])

function scored(arms: Parameters<Arms>) {
  if (arms.isSemantic && arms.isKeyword) return fused(arms)
  if (arms.isSemantic)
    return sql<Scored>`select ${found}, ${arms.isHybrid ? similarity(arms, sql`score`) : sql`score`} as score,
      score as semantic, null::float8 as keyword from nearest n`
  if (arms.isKeyword)
    return sql<Scored>`select ${found}, keyword as score, null::float8 as semantic, keyword
      from (select ${found}, ${certain(sql`score`)} as keyword from keyword n) n`
  return sql<Scored>`select ${found}, 0::float8 as score, null::float8 as semantic, null::float8 as keyword from chunks n where false`
}

/**
 * A weighted sum of both arms' scores, each on a scale of its own that does not depend on the other hits (Bruch et al. 2023, who
 * find it ahead of reciprocal rank fusion where a weight can be tuned): so it can be compared between questions. The words of a
 * question of which the agent has few say little, and so does a likeness without any word in common.
 */
function fused(arms: Parameters<Arms>) {
  const c = columnsOf('chunks', 'c')
  const v = columnsOf('vectors', 'v')
  const key = ['document_id', 'revision', 'chunk_index'].map((column) => sql.ref(column))
  const semantic = sql`coalesce(n.score, (select ${cosine(v.embedding)} from chunks c, vectors v
    where ${c.organization_id} = ${arms.organizationId} and ${c.agent_id} = ${arms.agentId}
      and ${c.document_id} = ${n.document_id} and ${c.revision} = ${n.revision}
      and ${c.chunk_index} = ${n.chunk_index} and ${v.organization_id} = ${arms.organizationId}
      and ${v.document_id} = ${n.document_id} and ${v.id} = ${c.vector_id}))`
  // The fences: a chunk's vector is looked up once, by the columns of a key instead of expressions.
  const share = sql`(select ${sql.lit(keywordWeight)} * known from question)`
  const both = sql`(select ${arms.trust}::float8 + (1 - ${arms.trust}::float8) * known from question)
    * (${share} * coalesce(keyword, 0) + (1 - ${share}) * ${similarity(arms, sql`semantic`)})`
  return sql<Scored>`select ${found}, semantic, ${certain(sql`keyword`)} as keyword,
      ${certain(sql`case when semantic is null then keyword else ${both} end`)} as score
    from (select ${found}, keyword, is_certain, ${semantic} as semantic from (
      select ${sql.join(key)}, nearest.score, keyword.score as keyword, is_certain
      from nearest full join keyword using (${sql.join(key)}) offset ${fence}) n offset ${fence}) n`
}

function certain(score: ReturnType<typeof sql>) {
  return sql`(case when is_certain then ${sql.lit(certainty)} + ${sql.lit(1 - certainty)} * ${score} else ${score} end)`
}

function similarity({ unlike, alike }: Parameters<Arms>, cosine: ReturnType<typeof sql>) {
  return sql`least(1, greatest(0, (${cosine} - ${unlike}::float8) / (${alike}::float8 - ${unlike}::float8)))`
}

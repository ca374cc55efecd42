import type { Database } from '../database/database.ts'
import type { AgentScope } from '../database/scope.ts'
import { agentNotFound } from '../http/not-found.ts'
import { type QueryVectorKey, rememberQueryVector } from './query-vector/query-vectors.ts'
import type { Hit } from './schemas.ts'
import { type Question, searchParameters } from './statement/search-parameters.ts'
import { hits } from './statement/search-statement.ts'
import type { Filters } from './statement/searched-chunks.ts'
import type { Traits } from './statement/semantic-arm.ts'

export interface Asked extends Question {
  /** The key under which to store the vector, which is new, in the same round trip. */
  remember?: QueryVectorKey | undefined
}

export interface Found {
  hits: Hit[]
  hasVector: boolean
  likenessOf: LikenessOf
}

/** 0 for the cosine of a text that is unrelated to the question, 1 for that of one that answers it. */
export type LikenessOf = (cosine: number) => number

const maxRemembered = 10_000
export const worstCaseTraits: Traits = { isLarge: true }

/** A search that remembers what the last one found of each agent. */
export function newSearch() {
  const remembered = new Map<string, Traits>()

  /** Best first, ties by document and index; as many as fit into a response, at least one if any. @throws ApiError agent_not_found */
  return async function search(db: Database, scope: AgentScope, asked: Asked, filters: Filters): Promise<Found> {
    const { mode, vector, remember: rememberAs } = asked
    const parameters = searchParameters(scope, asked, filters)
    const key = `${scope.organizationId} ${scope.agentId}`
    const expected = remembered.get(key) ?? worstCaseTraits
    const remembering = vector && rememberAs && { remembered: rememberQueryVector(scope, rememberAs, vector) }
    const send = async (traits: Traits) =>
      (await db.batch({ rows: hits({ ...parameters, ...traits }), ...remembering })).rows
    let rows = await send(expected)
    const { is_agent, has_vector, is_large } = rows[0]!
    if (!is_agent) agentNotFound()
    if (is_large !== null && (mode === 'keyword' || (has_vector && !filters.document_ids && !filters.metadata)))
      remember(key, { isLarge: is_large })
    if (has_vector && is_large && !expected.isLarge) rows = await send(worstCaseTraits)
    const found = rows.flatMap(({ is_agent, has_vector, is_large, unlike, reach, semantic, keyword, ...hit }) =>
      hit.chunk_id === null ? [] : [{ ...hit, scores: { semantic, keyword } }],
    )
    const { unlike, reach } = rows[0]!
    const likenessOf = (cosine: number) => Math.min(1, Math.max(0, (cosine - unlike) / reach))
    return { hits: found, hasVector: has_vector, likenessOf }
  }

  function remember(key: string, traits: Traits) {
    if (remembered.size >= maxRemembered) remembered.clear()
    remembered.set(key, traits)
  }
}

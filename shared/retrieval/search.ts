import type { Database, Statement } from '../database/database.ts'
import type { AgentScope } from '../database/scope.ts'
import { agentNotFound } from '../http/not-found.ts'
import { answerable } from './answerable.ts'
import { comparedHits, orderedByRuns } from './letter-runs.ts'
import { type QueryVectorKey, rememberQueryVector } from './query-vector/query-vectors.ts'
import type { Hit } from './schemas.ts'
import { type Question, searchParameters } from './statement/search-parameters.ts'
import { hits, type Row } from './statement/search-statement.ts'
import type { Filters } from './statement/searched-chunks.ts'
import type { Traits } from './statement/semantic-arm.ts'

export interface Asked extends Question {
  /** The key under which to store the vector, which is new, in the same round trip. */
  remember?: QueryVectorKey | undefined
}

export interface Found {
  hits: Hit[]
  /** Null in a search by a vector only. */
  answerable: number | null
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

  /**
   * What was heard, in all its hypotheses, in one batch; a chunk has its best score over them. Best first, ties by document and index; as
   * many as fit into a response, at least one if any. @throws ApiError agent_not_found
   */
  return async function search(
    db: Database,
    scope: AgentScope,
    hypotheses: readonly Asked[],
    filters: Filters,
  ): Promise<Found> {
    const key = `${scope.organizationId} ${scope.agentId}`
    const { mode } = hypotheses[0]!
    const limit = mode === 'hybrid' ? Math.max(filters.limit, comparedHits) : filters.limit
    const expected = remembered.get(key) ?? worstCaseTraits
    const send = async (traits: Traits) => {
      const statements: Record<string, Statement<unknown>> = {}
      for (const [i, asked] of hypotheses.entries()) {
        const { vector, remember } = asked
        statements[`found${i}`] = hits({ ...searchParameters(scope, asked, { ...filters, limit }), ...traits })
        if (vector && remember) statements[`remembered${i}`] = rememberQueryVector(scope, remember, vector)
      }
      const results = (await db.batch(statements)) as Record<string, Row[]>
      return hypotheses.map((_, i) => results[`found${i}`]!)
    }
    let all = await send(expected)
    const [{ is_agent, is_large }] = all[0] as [Row]
    if (!is_agent) agentNotFound()
    const hasVector = all.every(([row]) => row!.has_vector)
    if (is_large !== null && (mode === 'keyword' || (hasVector && !filters.document_ids && !filters.metadata)))
      remember(key, { isLarge: is_large })
    if (all.some(([row]) => row!.has_vector && row!.is_large) && !expected.isLarge) all = await send(worstCaseTraits)
    return merged(
      all.map((rows, i) => toFound(rows, hypotheses[i]!)),
      filters.limit,
    )
  }

  function remember(key: string, traits: Traits) {
    if (remembered.size >= maxRemembered) remembered.clear()
    remembered.set(key, traits)
  }
}

function toFound(rows: Row[], { mode, query }: Asked): Found {
  const { has_vector, unlike, reach } = rows[0]!
  const likenessOf = (cosine: number) => Math.min(1, Math.max(0, (cosine - unlike) / reach))
  const found = rows.flatMap(({ is_agent, has_vector, is_large, unlike, reach, next, semantic, keyword, ...hit }) =>
    hit.chunk_id === null ? [] : [{ ...hit, scores: { semantic, keyword } }],
  )
  const hits = mode === 'hybrid' && has_vector && query !== undefined ? orderedByRuns(query, found) : found
  const best = hits.length > 0 ? [hits[0]!.score, hits[1]?.score ?? rows[0]!.next ?? 0] : []
  const scale = mode === 'hybrid' && !has_vector ? 'keyword' : mode
  return {
    hits,
    answerable: query === undefined ? null : answerable(scale, mode === 'semantic' ? best.map(likenessOf) : best),
    hasVector: has_vector,
    likenessOf,
  }
}

function merged(found: Found[], limit: number): Found {
  const [first, ...others] = found as [Found, ...Found[]]
  if (others.length === 0) return { ...first, hits: first.hits.slice(0, limit) }
  const best = new Map<string, Hit>()
  for (const hit of found.flatMap(({ hits }) => hits))
    if ((best.get(hit.chunk_id)?.score ?? -2) < hit.score) best.set(hit.chunk_id, hit)
  const place = (hit: Hit) => `${hit.document_id} ${String(hit.chunk_index).padStart(7, '0')}`
  const sorted = [...best.values()].sort((a, b) => b.score - a.score || (place(a) < place(b) ? -1 : 1))
  return {
    ...first,
    hits: sorted.slice(0, limit),
    answerable: Math.max(...found.map(({ answerable }) => answerable ?? 0)),
    hasVector: found.every(({ hasVector }) => hasVector),
  }
}

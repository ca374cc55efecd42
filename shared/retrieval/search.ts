import { sql } from 'kysely'
import type { Database, Statement } from '../database/database.ts'
import type { AgentScope } from '../database/scope.ts'
import { agentNotFound } from '../http/not-found.ts'
import { payloadLimit } from '../http/payload.ts'
import { answerable, type Level, levelOf } from './answerable.ts'
import { coverageOf } from './coverage.ts'
import type { SaidTerm } from './keyword/keyword-query.ts'
import { comparedHits, orderedByRuns } from './letter-runs.ts'
import type { Hit, Mode, Source, Value } from './schemas.ts'
import { type Asked, asQuestion, type Filters, questionsOf } from './statement/asked-question.ts'
import { findValue } from './value/value.ts'

/** A hit with the revision of its document that search serves. */
export type FoundHit = Hit & { revision: number }

export interface Found {
  hits: FoundHit[]
  /** Null in a search by a vector only. */
  answerable: number | null
  status: Level
  /** The table cell that answers; null if none is sure. */
  value: Value | null
  hasVector: boolean
  /** The model that serves the agent: `hasVector` is false for vectors of another. */
  model: string
  likenessOf: LikenessOf
}

export interface Models {
  /** The model that made the vectors; undefined for a caller's own, which count as the serving model's. */
  asked_model: string | undefined
  /** The model that serves an agent which names none. */
  assumed_model: string | undefined
}

/** A call that remembers this turn. */
export interface RememberedCall {
  call_id: string
  /** The turn's id. */
  turn: string
  said: SaidTerm[]
  recalls: boolean
  given: number
  min_score: number
}

/** Maps a cosine to 0 for a text that is unrelated to the question, and to 1 for one that answers it. */
export type LikenessOf = (cosine: number) => number

type Place = Pick<Source, 'url' | 'page'>

export type Row = {
  is_agent: boolean
  has_vector: boolean
  model: string
  /** A cosine of `unlike` is unrelated to the question; one that is higher by `reach` answers it. */
  unlike: number | null
  reach: number | null
  semantic: number
  keyword: number
} & ((Omit<FoundHit, 'scores' | 'source'> & Place) | { chunk_id: null })

/**
 * Searches for all hypotheses; a chunk has its best score over them. Returns the best first, ties by document and index, and as many as
 * fit into a response, at least one if any. @throws ApiError agent_not_found
 */
export async function search(
  db: Database,
  scope: AgentScope,
  mode: Mode,
  hypotheses: readonly Asked[],
  filters: Filters,
  models: Models = { asked_model: undefined, assumed_model: undefined },
  call?: RememberedCall,
): Promise<Found> {
  const limit = Math.max(filters.limit, comparedHits)
  const calls = questionsOf(scope, mode, hypotheses, { ...filters, limit }).map(
    (question) =>
      sql<Row>`select * from answers(${asQuestion({ ...question, ...models, ...call, max_bytes: payloadLimit })})`,
  )
  const all: Row[][] = Object.values(
    await db.batch(Object.fromEntries(calls.entries()) as Record<string, Statement<Row>>),
  )
  if (!all[0]![0]!.is_agent) agentNotFound()
  return merged(
    all.map((rows) => toFound(rows, mode, hypotheses, filters.history)),
    filters,
  )
}

/** Converts the rows of the database function `answers`. */
export function toFound(rows: Row[], mode: Mode, hypotheses: readonly Asked[], history: readonly string[] = []): Found {
  const queries = [
    ...new Set(hypotheses.flatMap(({ query, inContext = query }) => (query === undefined ? [] : [query, inContext!]))),
  ]
  const { has_vector, model, unlike, reach } = rows[0]!
  const likenessOf = (cosine: number) => Math.min(1, Math.max(0, (cosine - (unlike ?? 0)) / (reach ?? 1)))
  const found = rows.flatMap(({ is_agent, has_vector, model, unlike, reach, semantic, keyword, ...hit }) =>
    hit.chunk_id === null ? [] : [{ ...withSource(hit), scores: { semantic, keyword } }],
  )
  const hits = mode === 'hybrid' && has_vector ? orderedByRuns(queries, found) : found
  const scale = mode === 'hybrid' && !has_vector ? 'keyword' : mode
  const answerable = queries.length === 0 ? null : answerableBy(queries, scale, hits, likenessOf)
  return {
    hits,
    answerable,
    status: levelOf(hits.length, answerable),
    value: findValue(
      hypotheses.flatMap(({ query }) => (query === undefined ? [] : [{ query, history }])),
      hits.slice(0, comparedHits),
    ),
    hasVector: has_vector,
    model,
    likenessOf,
  }
}

/** Adds the source of a hit. */
function withSource<Placed extends Omit<Hit, 'source' | 'scores'> & Place>({ url, page, ...hit }: Placed) {
  const headings = Array.isArray(hit.metadata.headings) ? hit.metadata.headings : []
  const heading: unknown = headings.at(-1)
  const source = { title: hit.document_title, url, page, heading: typeof heading === 'string' ? heading : null }
  return { ...hit, source }
}

/** The probability for the hypothesis that the first hit answers most likely. */
function answerableBy(queries: string[], mode: Mode, hits: readonly FoundHit[], likenessOf: LikenessOf): number {
  const compared = hits.slice(0, comparedHits)
  const likenesses = compared.map(({ scores }) => (scores.semantic === null ? 0 : likenessOf(scores.semantic)))
  const [score, next = 0] = mode === 'semantic' ? likenesses : compared.map((hit) => hit.score)
  if (score === undefined) return 0
  const texts = compared.map(({ document_title, content }) => `${document_title} ${content}`)
  const by = (query: string) =>
    answerable(mode, { score, next, likeness: likenesses[0]!, coverage: coverageOf(query, texts) })
  return Math.max(...queries.map(by))
}

/** Joins the results of several calls, which hypotheses with very many terms take. Nothing is found without a hit, even if `min_score` removed some. */
function merged(found: Found[], { limit, min_score = -1 }: Filters): Found {
  const [first, ...others] = found as [Found, ...Found[]]
  const kept = (all: Found): Found => {
    const hits = all.hits.filter(({ score }) => score >= min_score).slice(0, limit)
    if (hits.length > 0) return { ...all, hits }
    return { ...all, hits, answerable: all.answerable === null ? null : 0, status: 'nothing', value: null }
  }
  if (others.length === 0) return kept(first)
  const best = new Map<string, FoundHit>()
  for (const hit of found.flatMap(({ hits }) => hits))
    if ((best.get(hit.chunk_id)?.score ?? -2) < hit.score) best.set(hit.chunk_id, hit)
  const place = (hit: Hit) => `${hit.document_id} ${String(hit.chunk_index).padStart(7, '0')}`
  const sorted = [...best.values()].sort((a, b) => b.score - a.score || (place(a) < place(b) ? -1 : 1))
  const surest = found.reduce((best, each) => ((each.answerable ?? 0) > (best.answerable ?? 0) ? each : best))
  return kept({
    ...first,
    hits: sorted,
    answerable: surest.answerable,
    status: surest.status,
    value: surest.value,
    hasVector: found.every(({ hasVector }) => hasVector),
  })
}

import type { Database } from '../database/database.ts'
import { type AgentScope, findAgent } from '../database/scope.ts'
import type { Embedder } from '../embedding/embedder.ts'
import { ApiError } from '../http/errors.ts'
import { agentNotFound } from '../http/not-found.ts'
import type { Meter } from '../http/request-meter.ts'
import type { Timing } from '../http/server-timing.ts'
import { estimatedTokens } from '../limits/tokens.ts'
import { type Figures, report } from '../metrics.ts'
import { Unavailable } from '../unavailable.ts'
import type { Clock } from './clock.ts'
import { keepQuestion } from './keep-question.ts'
import { queryEmbedder } from './query-vector/embed-query.ts'
import { recentDurations } from './query-vector/hedging.ts'
import { findQueryVector, queryVectorKey, rememberQueryVector, vectorCache } from './query-vector/query-vectors.ts'
import type { Hit } from './schemas.ts'
import { type Asked, type Found, type LikenessOf, newSearch } from './search.ts'
import type { Filters } from './statement/searched-chunks.ts'
import type { Timeouts } from './timeouts.ts'

/** Whose knowledge base is asked, and who pays for the vector of a question. */
export interface PayingAgent extends AgentScope {
  meter: Pick<Meter, 'reserveTokens' | 'releaseTokens'>
}

export interface AskedAgent extends PayingAgent {
  /** Whether the organization keeps its callers' questions; not what is asked to try it out. */
  logsQuestions: boolean
}

export interface Question extends Filters, Pick<Asked, 'mode' | 'query'> {
  embedding?: ArrayLike<number> | undefined
  deadline_ms: number
}

export interface Answer {
  data: Hit[]
  degraded: null | 'keyword_only'
  likenessOf: LikenessOf
}

export interface AnsweringDependencies {
  db: Database
  embedder: Embedder
  clock?: Clock
  limits?: Timeouts
  now?: () => number
}

export type AnswerQuestion = ReturnType<typeof answering>['answer']

/** The time reserved for the last statement: as long as this instance's round trips take, within these bounds. */
const minReserveMilliseconds = 5
const maxReserveMilliseconds = 250
/** A call that ends so shortly before its time is up counts as broken off. */
const brokenOffWithinMilliseconds = 20
const maxLogMilliseconds = 250

/** What one instance knows: the vectors of recent questions, and what calls of the provider and round trips take. */
export function answering(embedder: Embedder, clock: Clock, limits: Timeouts) {
  const cache = vectorCache()
  const search = newSearch()
  const embedQuery = queryEmbedder(embedder, clock, limits.patienceSeconds)
  const roundTrips = recentDurations()

  async function ask<Result>(
    db: Database,
    { measure }: Timing,
    deadline: number,
    act: (db: Database) => Promise<Result>,
  ) {
    const started = clock.now()
    const result = await measure('db', () => act(db.within((deadline - started) / 1000)))
    roundTrips.add(clock.now() - started)
    return result
  }

  /** @throws ApiError rate_limited, validation_failed; Unavailable */
  async function embed(
    { measure }: Timing,
    deadline: number,
    query: string,
    { meter }: PayingAgent,
  ): Promise<Float32Array> {
    const tokens = estimatedTokens(query)
    await meter.reserveTokens(tokens)
    const reserve = Math.min(maxReserveMilliseconds, Math.max(minReserveMilliseconds, roundTrips.p95()))
    const due = deadline - reserve
    try {
      return await measure('embed', () => embedQuery(query, due))
    } catch (error) {
      // What was broken off when its time was up may be charged all the same; what failed before, or was never asked, is not.
      if (due - clock.now() > brokenOffWithinMilliseconds) meter.releaseTokens(tokens)
      throw error
    }
  }

  /**
   * One round trip if the vector of the query is at hand, in this instance or in the database. Else the provider is called after
   * the first one, which has the keyword arm's answer, and a second one has the whole. One more where questions are kept.
   * @throws ApiError agent_not_found, validation_failed, rate_limited; Unavailable
   */
  async function answer(db: Database, scope: AskedAgent, input: Question, timing: Timing): Promise<Answer> {
    const figures: Figures = {}
    try {
      const found = await findAnswer(db, scope, input, timing, figures)
      const { mode, query: text } = input
      if (!scope.logsQuestions || text === undefined) return found
      const scores = found.data.map(({ score }) => (mode === 'semantic' ? found.likenessOf(score) : score))
      const question = { text, mode, isDegraded: found.degraded !== null, scores }
      const rest = timing.arrivedAt + input.deadline_ms - clock.now()
      await timing.measure('db', () => keepQuestion(db, scope, question, Math.min(rest, maxLogMilliseconds)))
      return found
    } finally {
      const { arrivedAt, spent } = timing
      report({
        ...figures,
        SearchMilliseconds: Math.round(clock.now() - arrivedAt),
        SearchEmbedMilliseconds: spent.embed > 0 ? Math.round(spent.embed) : undefined,
        SearchDatabaseMilliseconds: Math.round(spent.db),
      })
    }
  }

  async function findAnswer(
    db: Database,
    scope: AskedAgent,
    input: Question,
    timing: Timing,
    figures: Figures,
  ): Promise<Answer> {
    const { mode, query, embedding } = input
    const deadline = timing.arrivedAt + input.deadline_ms
    const find = (by: Omit<Asked, 'mode' | 'query'>, until = deadline + limits.graceMilliseconds) =>
      ask(db, timing, until, (db) => search(db, scope, { mode, query, ...by }, input))
    const toAnswer = ({ hits: data, likenessOf }: Found) => ({ data, degraded: null, likenessOf })
    const whole = async (...by: Parameters<typeof find>) => toAnswer(await find(...by))

    if (mode === 'keyword' || query === undefined || embedding) return await whole({ vector: embedding })
    if (embedder.isLocal) {
      const [vector] = await timing.measure('embed', () => embedder.embed([query]))
      return await whole({ vector })
    }

    const key = queryVectorKey(embedder.model, query)
    const cached = cache.get(scope, key)
    const first = await find(cached ? { vector: cached } : { storedVector: key })
    figures[first.hasVector ? 'QueryVectorHits' : 'QueryVectorMisses'] = 1
    if (first.hasVector) return toAnswer(first)
    try {
      const vector = await embed(timing, deadline, query, scope)
      cache.set(scope, key, vector)
      return await whole({ vector, remember: key }, mode === 'hybrid' ? deadline : undefined)
    } catch (error) {
      const isLimited = error instanceof ApiError && error.code === 'rate_limited'
      if (mode === 'semantic' || !(error instanceof Unavailable || isLimited)) throw error
      figures[isLimited ? 'SearchesLimited' : 'SearchesDegraded'] = 1
      return { ...toAnswer(first), degraded: 'keyword_only' }
    }
  }

  /** @throws ApiError agent_not_found, validation_failed, rate_limited; Unavailable */
  async function prefetch(db: Database, scope: PayingAgent, query: string, timing: Timing): Promise<void> {
    const deadline = timing.arrivedAt + limits.prefetchMilliseconds
    const key = queryVectorKey(embedder.model, query)
    const { agents, stored } = await ask(db, timing, deadline, (db) =>
      db.batch({ agents: findAgent(scope), stored: findQueryVector(scope, key) }),
    )
    if (agents.length === 0) agentNotFound()
    if (embedder.isLocal || stored.length > 0) return
    const vector = cache.get(scope, key) ?? (await embed(timing, deadline, query, scope))
    cache.set(scope, key, vector)
    await ask(db, timing, deadline, (db) => db.batch({ remembered: rememberQueryVector(scope, key, vector) }))
  }

  return { answer, prefetch }
}

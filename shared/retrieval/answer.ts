import { BoundedMap } from '../bounded-map.ts'
import type { Database } from '../database/database.ts'
import { type AgentScope, findAgent } from '../database/scope.ts'
import { type Embedder, EmbeddingError } from '../embedding/embedder.ts'
import { assumedModel, embedderOf, notConfigured } from '../embedding/serving-embedder.ts'
import { ApiError } from '../http/errors.ts'
import { agentNotFound } from '../http/not-found.ts'
import type { Timing } from '../http/server-timing.ts'
import type { AgentId } from '../ids.ts'
import type { TokenMeter } from '../limits/tokens.ts'
import { type Figures, report } from '../telemetry/metrics.ts'
import { Unavailable } from '../unavailable.ts'
import type { Clock } from './clock.ts'
import { withinBudget } from './heard.ts'
import { inContext } from './in-context.ts'
import { keepQuestion } from './keep-question.ts'
import { recentDurations } from './query-vector/hedging.ts'
import { hypothesisVectors, toHypothesis } from './query-vector/hypothesis-vectors.ts'
import { findQueryVectors, rememberQueryVector } from './query-vector/query-vectors.ts'
import type { Format, Hit, Mode } from './schemas.ts'
import { type Found, search } from './search.ts'
import { spokenPassage } from './speech/speech.ts'
import type { Asked, Filters } from './statement/asked-question.ts'
import type { Timeouts } from './timeouts.ts'

/** The agent whose knowledge base is searched, and the meter that pays for a question's vector. */
export interface PayingAgent extends AgentScope {
  meter: TokenMeter
}

export interface AskedAgent extends PayingAgent {
  /** True if the organization keeps its callers' questions; trial questions are not kept. */
  logsQuestions: boolean
}

export interface Question extends Filters {
  mode: Mode
  query?: string | undefined
  /** Further hypotheses of `query`. */
  alternatives?: string[] | undefined
  embedding?: ArrayLike<number> | undefined
  deadline_ms: number
  /** The characters of all its texts that are read; see `withinBudget` for the default. */
  max_heard?: number | undefined
  format?: Format | undefined
  /** Kept with the question; it changes no answer. */
  call_id?: string | undefined
}

interface Outcome
  extends Pick<
    Found,
    'hits' | 'answerable' | 'status' | 'value' | 'dates' | 'sought' | 'today' | 'dispute' | 'likenessOf'
  > {
  degraded: null | 'keyword_only'
}

export interface Answer extends Omit<Outcome, 'hits'> {
  data: Hit[]
}

export interface AnsweringDependencies {
  db: Database
  embedder: Embedder
  clock?: Clock
  limits?: Timeouts
  now?: () => number
}

export type AnswerQuestion = ReturnType<typeof answering>['answer']

const maxLogMilliseconds = 250

const maxRemembered = 10_000
/** Agents rarely change their model, so a search that has met two changes is not repeated. */
const maxModelsAsked = 3

/** Answers questions. One instance remembers recent questions' vectors, agents' models, and the durations of provider calls and round trips. */
export function answering(configured: Embedder, clock: Clock, limits: Timeouts) {
  const assumed_model = assumedModel(configured)
  const models = new BoundedMap<AgentId, string>(maxRemembered)
  const roundTrips = recentDurations()
  const vectors = hypothesisVectors(configured, clock, limits.patienceSeconds, roundTrips)
  const embedderFor = ({ agentId }: AgentScope) => embedderOf(configured, models.get(agentId) ?? assumed_model)

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

  /**
   * Takes one round trip if this instance or the database has the query's vector. Otherwise the first brings the keyword arm's answer,
   * the provider is called, and a second brings the whole answer. Keeping a question takes one more; so does, once an instance, an agent
   * with another model than the instance assumed.
   * @throws ApiError agent_not_found, validation_failed, rate_limited; Unavailable
   */
  async function answer(db: Database, scope: AskedAgent, sent: Question, timing: Timing): Promise<Answer> {
    const figures: Figures = {}
    const input = withinBudget(sent, sent.max_heard)
    try {
      const { hits, ...found } = await findAnswer(db, scope, input, timing, figures)
      const written = hits.map(({ revision, ...hit }) => hit)
      const { mode, query: text, call_id: callId } = input
      const heard = text === undefined ? [] : [text, ...(input.alternatives ?? [])]
      const queries = heard.map((each) => `${inContext(each, input.history)} ${found.sought}`)
      const said = (hit: Hit) => ({ ...hit, content: spokenPassage(queries, hit, found.value) })
      const data = input.format === 'speech' ? written.map(said) : written
      if (!scope.logsQuestions || text === undefined) return { data, ...found }
      const spent = clock.now() - timing.arrivedAt
      const { answerable, status, value, degraded } = found
      const question = {
        text,
        callId,
        mode,
        hits,
        answerable: answerable!,
        status,
        value,
        isDegraded: degraded !== null,
        milliseconds: Math.round(spent),
      }
      const left = input.deadline_ms - spent
      await timing.measure('db', () => keepQuestion(db, scope, question, Math.min(left, maxLogMilliseconds)))
      return { data, ...found }
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
  ): Promise<Outcome> {
    const { mode, query, alternatives = [], embedding } = input
    const hypotheses = query === undefined ? [undefined] : [...new Set([query, ...alternatives])]
    const inContexts = hypotheses.map((text) => text && inContext(text, input.history))
    const texts = inContexts.filter((text) => text !== undefined)
    const deadline = timing.arrivedAt + input.deadline_ms
    const needsVector = mode !== 'keyword' && query !== undefined && !embedding
    const toAnswer = ({ hasVector, model, ...found }: Found) => ({ degraded: null, ...found })
    const byWords = (found: Found, figure: 'SearchesDegraded' | 'SearchesLimited' = 'SearchesDegraded') => {
      figures[figure] = 1
      return { ...toAnswer(found), degraded: 'keyword_only' as const }
    }
    for (let i = 0; i < maxModelsAsked; i++) {
      const found = await attempt()
      if (found) return found
    }
    throw new Unavailable('database', new Error('The agent changes its model at each search'))

    /** Returns undefined if another model serves the agent, and remembers that model. */
    async function attempt(): Promise<Outcome | undefined> {
      const embedder = embedderFor(scope)
      const asked_model = needsVector ? embedder?.model : undefined
      const searchBy = (by: (i: number) => Omit<Asked, 'query'>, until = deadline + limits.graceMilliseconds) => {
        const asked = hypotheses.map((query, i) => ({ query, inContext: inContexts[i], ...by(i) }))
        return ask(db, timing, until, (db) => search(db, scope, mode, asked, input, { asked_model, assumed_model }))
      }
      const isOther = ({ model }: Found) => {
        if (asked_model === undefined || model === asked_model) return false
        models.set(scope.agentId, model)
        return true
      }
      const whole = async (...by: Parameters<typeof searchBy>) => {
        const found = await searchBy(...by)
        return isOther(found) ? undefined : toAnswer(found)
      }

      if (!needsVector) return toAnswer(await searchBy(() => ({ vector: embedding })))
      if (!embedder) {
        const found = await searchBy(() => ({}))
        if (found.model !== models.get(scope.agentId)) {
          models.set(scope.agentId, found.model)
          if (embedderFor(scope)) return undefined
        }
        if (mode === 'semantic') notConfigured(found.model)
        return byWords(found)
      }
      if (embedder.isLocal) {
        try {
          const timeoutSeconds = Math.max(0, deadline - clock.now()) / 1000
          const options = { of: 'query', timeoutSeconds } as const
          const made = await timing.measure('embed', () => embedder.embed(texts, options))
          return await whole((i) => ({ vector: made[i] }))
        } catch (error) {
          if (!(error instanceof EmbeddingError)) throw error
          if (mode === 'semantic') throw new Unavailable('embedding_provider', error)
          return byWords(await searchBy(() => ({})))
        }
      }

      const heard = texts.map(toHypothesis(embedder))
      const cached = heard.map((each) => vectors.known(scope, each))
      const first = await searchBy((i) => (cached[i] ? { vector: cached[i] } : { key: heard[i]!.key }))
      if (isOther(first)) return undefined
      figures[first.hasVector ? 'QueryVectorHits' : 'QueryVectorMisses'] = 1
      if (first.hasVector) return toAnswer(first)
      try {
        const all = await vectors.of(scope, timing, deadline, heard, embedder)
        const by = (i: number) => ({ vector: all[i], key: cached[i] ? undefined : heard[i]!.key })
        return await whole(by, mode === 'hybrid' ? deadline : undefined)
      } catch (error) {
        const isLimited = error instanceof ApiError && error.code === 'rate_limited'
        if (mode === 'semantic' || !(error instanceof Unavailable || isLimited)) throw error
        return byWords(first, isLimited ? 'SearchesLimited' : 'SearchesDegraded')
      }
    }
  }

  /** @throws ApiError agent_not_found, validation_failed, rate_limited; Unavailable */
  async function prefetch(db: Database, scope: PayingAgent, hypotheses: string[], timing: Timing): Promise<void> {
    const deadline = timing.arrivedAt + limits.prefetchMilliseconds
    const embedder = embedderFor(scope)
    if (!embedder) return
    const heard = [...new Set(hypotheses)].map(toHypothesis(embedder))
    const keys = heard.map(({ key }) => key)
    const { agents, stored } = await ask(db, timing, deadline, (db) =>
      db.batch({ agents: findAgent(scope), stored: findQueryVectors(scope, keys) }),
    )
    if (agents.length === 0) agentNotFound()
    const known = new Set(stored.map(({ key }) => key))
    const missing = heard.filter(({ key }) => !known.has(key.toString('hex')))
    if (embedder.isLocal || missing.length === 0) return
    const made = await vectors.of(scope, timing, deadline, missing, embedder)
    const statements = missing.map(({ key }, i) => [`remembered${i}`, rememberQueryVector(scope, key, made[i]!)])
    await ask(db, timing, deadline, (db) => db.batch(Object.fromEntries(statements)))
  }

  return { answer, prefetch }
}

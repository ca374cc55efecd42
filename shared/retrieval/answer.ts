import type { Batch, Database } from '../database/database.ts'
import { type AgentScope, findAgent } from '../database/scope.ts'
import { type Embedder, EmbeddingError } from '../embedding/embedder.ts'
import { assumedModel, embedderOf, notConfigured } from '../embedding/serving-embedder.ts'
import { fromStored } from '../embedding/stored-vectors.ts'
import { ApiError } from '../http/errors.ts'
import { agentNotFound } from '../http/not-found.ts'
import type { Timing } from '../http/server-timing.ts'
import type { TokenMeter } from '../limits/tokens.ts'
import { type Figures, report } from '../telemetry/metrics.ts'
import { Unavailable } from '../unavailable.ts'
import type { Clock } from './clock.ts'
import type { Found } from './found.ts'
import { withinBudget } from './heard.ts'
import { hypothesesOf } from './in-context.ts'
import { loadedAgents } from './index/loaded-agents.ts'
import { keepQuestion } from './keep-question.ts'
import type { Asked, Filters } from './plan.ts'
import { recentDurations } from './query-vector/hedging.ts'
import { hypothesisVectors, toHypothesis } from './query-vector/hypothesis-vectors.ts'
import { findQueryVectors, rememberQueryVectors } from './query-vector/query-vectors.ts'
import type { Format, Hit, Mode } from './schemas.ts'
import { search } from './search.ts'
import { inFormat } from './speech/in-format.ts'
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
  extends Pick<Found, 'hits' | 'answerable' | 'status' | 'value' | 'dates' | 'sought' | 'today' | 'dispute'> {
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

/** Agents rarely change their model, so a search that has met two changes is not repeated. */
const maxModelsAsked = 3

/** Answers questions. One instance remembers recent questions' vectors, and the durations of provider calls and searches. */
export function answering(configured: Embedder, clock: Clock, limits: Timeouts) {
  const assumed_model = assumedModel(configured)
  const roundTrips = recentDurations()
  const vectors = hypothesisVectors(configured, clock, limits.patienceSeconds, roundTrips)

  async function ask<Result>(
    db: Database,
    { measure }: Timing,
    deadline: number,
    act: (db: Pick<Database, 'batch'>) => Promise<Result>,
  ) {
    const started = clock.now()
    const patient = db.within((deadline - started) / 1000)
    let isAsked = false
    const result = await act({
      batch: <const Q extends Batch>(statements: Q) => {
        isAsked = true
        return measure('db', () => patient.batch(statements))
      },
    })
    // An index that the instance keeps takes no round trip.
    if (isAsked) roundTrips.add(clock.now() - started)
    return result
  }

  /**
   * Takes one round trip if this instance has the agent's index and the query's vector. Otherwise the first brings the stored vector and the
   * answer by words; without a stored vector the provider is called; then a second brings the whole answer. Keeping a question takes one
   * more, and so does loading the index.
   * @throws ApiError agent_not_found, validation_failed, rate_limited; Unavailable
   */
  async function answer(db: Database, scope: AskedAgent, sent: Question, timing: Timing): Promise<Answer> {
    const figures: Figures = {}
    const input = withinBudget(sent, sent.max_heard)
    try {
      const { hits, ...found } = await findAnswer(db, scope, input, timing, figures)
      const { mode, query: text, call_id: callId } = input
      const data = inFormat(input, hits, found)
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
    const { mode, query, embedding } = input
    const hypotheses: Asked[] = query === undefined ? [{}] : hypothesesOf({ ...input, query })
    const texts = hypotheses.flatMap(({ inContext }) => inContext ?? [])
    const deadline = timing.arrivedAt + input.deadline_ms
    const needsVector = mode !== 'keyword' && query !== undefined && !embedding
    const toAnswer = ({ hasVector, model, stored, ...found }: Found) => ({ degraded: null, ...found })
    const byWords = (found: Found, figure: 'SearchesDegraded' | 'SearchesLimited' = 'SearchesDegraded') => {
      figures[figure] = 1
      return { ...toAnswer(found), degraded: 'keyword_only' as const }
    }
    for (let i = 0; i < maxModelsAsked; i++) {
      const found = await attempt()
      if (found) return found
    }
    throw new Unavailable('database', new Error('The agent changes its model at each search'))

    /** Returns undefined if another model serves the agent by now. */
    async function attempt(): Promise<Outcome | undefined> {
      const until = deadline + limits.graceMilliseconds
      const { agent } = await ask(db, timing, until, (db) => loadedAgents.of(db, scope))
      const served = agent.model ?? assumed_model
      const embedder = needsVector ? embedderOf(configured, served) : undefined
      const model = embedder?.model
      const searchBy = (given: readonly (ArrayLike<number> | undefined)[], by: object = {}, last = until) => {
        const asked = hypotheses.map((each, i): Asked => ({ ...each, vector: given[i] }))
        const question = { mode, hypotheses: asked, filters: input, vectors: { model, ...by } }
        return ask(db, timing, last, (db) => search(db, scope, question))
      }
      const isOther = (found: Found) => needsVector && (found.model ?? served) !== served
      const whole = async (...by: Parameters<typeof searchBy>) => {
        const found = await searchBy(...by)
        return isOther(found) ? undefined : toAnswer(found)
      }

      if (!needsVector) return toAnswer(await searchBy([embedding]))
      if (!embedder) {
        const found = await searchBy([])
        if (isOther(found)) return undefined
        if (mode === 'semantic') notConfigured(served)
        return byWords(found)
      }
      if (embedder.isLocal) {
        try {
          const timeoutSeconds = Math.max(0, deadline - clock.now()) / 1000
          const options = { of: 'query', timeoutSeconds } as const
          return await whole(await timing.measure('embed', () => embedder.embed(texts, options)))
        } catch (error) {
          if (!(error instanceof EmbeddingError)) throw error
          if (mode === 'semantic') throw new Unavailable('embedding_provider', error)
          return byWords(await searchBy([]))
        }
      }

      const heard = texts.map(toHypothesis(embedder))
      const missing = heard.filter((each) => !vectors.known(scope, each))
      const known = () => heard.map((each) => vectors.known(scope, each))
      figures[missing.length === 0 ? 'QueryVectorHits' : 'QueryVectorMisses'] = 1
      if (missing.length === 0) return await whole(known())
      const first = await searchBy([], { keys: missing.map(({ key }) => key) })
      if (isOther(first)) return undefined
      for (const each of missing) {
        const vector = first.stored.get(each.key.toString('hex'))
        if (vector) vectors.keep(scope, each, vector)
      }
      try {
        const made = missing.filter((each) => !vectors.known(scope, each))
        const all = await vectors.of(scope, timing, deadline, heard, embedder)
        const remembered = made.map(({ key }) => ({ key, vector: vectors.known(scope, { key })! }))
        if (made.length === 0) figures.QueryVectorHits = 1
        return await whole(all, { made: remembered }, mode === 'hybrid' ? deadline : undefined)
      } catch (error) {
        const isLimited = error instanceof ApiError && error.code === 'rate_limited'
        if (mode === 'semantic' || !(error instanceof Unavailable || isLimited)) throw error
        return byWords(first, isLimited ? 'SearchesLimited' : 'SearchesDegraded')
      }
    }
  }

  /**
   * Makes the vectors of hypotheses, for all instances. Those of an embedder that needs no network are made only if they are wanted.
   * @returns their model and, if wanted, the vectors in order
   * @throws ApiError agent_not_found, validation_failed, rate_limited; Unavailable
   */
  async function prefetch(db: Database, scope: PayingAgent, hypotheses: string[], timing: Timing, areWanted = false) {
    const deadline = timing.arrivedAt + limits.prefetchMilliseconds
    const { agent } = await ask(db, timing, deadline, (db) => loadedAgents.of(db, scope))
    const served = agent.model ?? assumed_model
    const embedder = embedderOf(configured, served)
    if (!embedder) return areWanted ? notConfigured(served) : undefined
    const { model } = embedder
    const heard = hypotheses.map(toHypothesis(embedder))
    const keys = heard.map(({ key }) => key)
    const { agents, stored } = await ask(db, timing, deadline, (db) =>
      db.batch({ agents: findAgent(scope), stored: findQueryVectors(scope, keys) }),
    )
    if (agents.length === 0) agentNotFound()
    if (embedder.isLocal) {
      const timeoutSeconds = Math.max(0, deadline - clock.now()) / 1000
      return { model, vectors: areWanted ? await embedder.embed(hypotheses, { of: 'query', timeoutSeconds }) : [] }
    }
    const storedOf = new Map(stored.map(({ key, embedding }) => [key, embedding]))
    const missing = heard.filter(({ key }) => !storedOf.has(key.toString('hex')))
    for (const each of areWanted ? heard : []) {
      const embedding = storedOf.get(each.key.toString('hex'))
      if (embedding) vectors.keep(scope, each, fromStored(embedding, 0))
    }
    const asked = areWanted ? heard : missing
    const made = asked.length > 0 ? await vectors.of(scope, timing, deadline, asked, embedder) : []
    const remembered = missing.map(({ key }) => ({ key, vector: vectors.known(scope, { key })! }))
    if (missing.length > 0) await ask(db, timing, deadline, (db) => db.batch(rememberQueryVectors(scope, remembered)))
    return { model, vectors: made }
  }

  return { answer, prefetch }
}

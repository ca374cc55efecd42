import type { AgentScope } from '../../database/scope.ts'
import type { Embedder } from '../../embedding/embedder.ts'
import type { Timing } from '../../http/server-timing.ts'
import { estimatedTokens, type TokenMeter } from '../../limits/tokens.ts'
import type { Clock } from '../clock.ts'
import { queryEmbedder } from './embed-query.ts'
import type { recentDurations } from './hedging.ts'
import { type QueryVectorKey, queryVectorKey, vectorCache } from './query-vectors.ts'

/** One reading of the caller's words, and the key of its vector. */
interface Hypothesis {
  text: string
  key: QueryVectorKey
}

export const toHypothesis =
  ({ model }: Embedder) =>
  (text: string): Hypothesis => ({ text, key: queryVectorKey(model, text) })

/** The time reserved for the last statement: as long as this instance's round trips take, within these bounds. */
const minReserveMilliseconds = 5
const maxReserveMilliseconds = 250
/** A call that ends this shortly before its deadline counts as broken off. */
const brokenOffWithinMilliseconds = 20

/** Fetches and caches vectors of questions. @param patienceSeconds as `queryEmbedder` takes it */
export function hypothesisVectors(
  configured: Embedder,
  clock: Clock,
  patienceSeconds: number,
  roundTrips: ReturnType<typeof recentDurations>,
) {
  const cache = vectorCache()
  const queryEmbedders = [configured, configured.previous].map(
    (each) => each && queryEmbedder(each, clock, patienceSeconds),
  )

  async function embed(
    { measure }: Timing,
    deadline: number,
    texts: string[],
    meter: TokenMeter,
    embedder: Embedder,
  ): Promise<Float32Array[]> {
    const tokens = texts.reduce((sum, text) => sum + estimatedTokens(text), 0)
    await meter.reserveTokens(tokens)
    const reserve = Math.min(maxReserveMilliseconds, Math.max(minReserveMilliseconds, roundTrips.p95()))
    const due = deadline - reserve
    try {
      return await measure('embed', () => queryEmbedders[embedder === configured ? 0 : 1]!(texts, due))
    } catch (error) {
      // The provider may charge for a call that was broken off at its deadline, but not for one that failed before or never began.
      if (due - clock.now() > brokenOffWithinMilliseconds) await meter.releaseTokens(tokens)
      throw error
    }
  }

  return {
    known: (scope: AgentScope, { key }: Pick<Hypothesis, 'key'>) => cache.get(scope, key),
    keep: (scope: AgentScope, { key }: Hypothesis, vector: Float32Array) => cache.set(scope, key, vector),
    /** Returns vectors in the order of the hypotheses, with one call for those that are not cached. @throws ApiError rate_limited, validation_failed; Unavailable */
    async of(
      scope: AgentScope & { meter: TokenMeter },
      timing: Timing,
      deadline: number,
      hypotheses: readonly Hypothesis[],
      embedder: Embedder,
    ): Promise<Float32Array[]> {
      const missing = hypotheses.filter(({ key }) => !cache.get(scope, key))
      const texts = missing.map(({ text }) => text)
      const given = texts.length > 0 ? await embed(timing, deadline, texts, scope.meter, embedder) : []
      for (const [i, { key }] of missing.entries()) cache.set(scope, key, given[i]!)
      return hypotheses.map(({ key }) => cache.get(scope, key)!)
    },
  }
}

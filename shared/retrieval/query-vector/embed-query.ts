import { type Embedder, EmbeddingError } from '../../embedding/embedder.ts'
import { ApiError } from '../../http/errors.ts'
import { Unavailable } from '../../unavailable.ts'
import type { Clock } from '../clock.ts'
import { hedging } from './hedging.ts'

const maxRetryAfterSeconds = 600
/** The provider times out this long before the caller's deadline, which would not count as a time-out. */
const marginMilliseconds = 10

/** @param patienceSeconds after which a provider has timed out; a caller's earlier deadline does not count */
export function queryEmbedder(embedder: Embedder, clock: Clock, patienceSeconds: number) {
  const hedged = hedging(clock)

  /** @throws Unavailable; ApiError validation_failed when the provider rejects the text */
  return async function embedQuery(hypotheses: string[], deadline: number): Promise<Float32Array[]> {
    const available = deadline - clock.now() - marginMilliseconds
    if (available <= 0) throw unavailable(new Error('No time is left to ask it'))
    const seconds = available / 1000
    const late = new AbortController()
    const cancel = clock.after(available + marginMilliseconds, () => late.abort())
    try {
      return await hedged(
        (settled, isHedge) =>
          embedder.embed(hypotheses, {
            of: 'query',
            timeoutSeconds: isHedge ? seconds + patienceSeconds : Math.max(seconds, patienceSeconds),
            signal: AbortSignal.any([late.signal, settled]),
          }),
        () => embedder.mayHedge?.() ?? true,
      )
    } catch (error) {
      throw error instanceof EmbeddingError ? toApiError(error) : error
    } finally {
      cancel()
    }
  }
}

function toApiError(error: EmbeddingError): ApiError | Unavailable {
  if (error.reason !== 'input_rejected') return unavailable(error, error.retryAfterSeconds)
  return new ApiError('validation_failed', 'The embedding provider rejected the query.', {
    errors: [{ pointer: '/query', code: 'refused', detail: error.message }],
    cause: error,
  })
}

const noVector =
  'The embedding provider gives no vector of the query at the moment; a search with `mode: keyword` works without it.'

function unavailable(error: Error, seconds?: number): Unavailable {
  const bounded = seconds && Math.min(maxRetryAfterSeconds, Math.ceil(seconds))
  return new Unavailable('embedding_provider', error, bounded || undefined, noVector)
}

import { type Embedder, EmbeddingError } from '../../embedding/embedder.ts'
import { ApiError } from '../../http/errors.ts'
import { Unavailable } from '../../unavailable.ts'
import type { Clock } from '../clock.ts'
import { hedging } from './hedging.ts'

/** The circuit breaker's longest pause; a provider may ask for any number. */
const maxRetryAfterSeconds = 600
/** So that a provider's time-out comes before its caller's deadline, which would not count as one. More than timers are early by. */
const marginMilliseconds = 10

/**
 * @param patienceSeconds a provider that does not answer in this time has timed out, which its circuit breaker counts; a caller
 *   with an earlier deadline says nothing about it
 */
export function queryEmbedder(embedder: Embedder, clock: Clock, patienceSeconds: number) {
  const hedged = hedging(clock)

  /**
   * @param deadline a time of the clock
   * @throws Unavailable when the provider is down, too slow or rejects our key; ApiError validation_failed when it rejects the text
   */
  return async function embedQuery(query: string, deadline: number): Promise<Float32Array> {
    const available = deadline - clock.now() - marginMilliseconds
    if (available <= 0) throw unavailable(new Error('No time is left to ask it'))
    const seconds = available / 1000
    const late = new AbortController()
    const cancel = clock.after(available + marginMilliseconds, () => late.abort())
    try {
      const [vector] = await hedged(
        (settled, isHedge) =>
          embedder.embed([query], {
            timeoutSeconds: isHedge ? seconds + patienceSeconds : Math.max(seconds, patienceSeconds),
            signal: AbortSignal.any([late.signal, settled]),
          }),
        () => embedder.mayHedge?.() ?? true,
      )
      return vector!
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

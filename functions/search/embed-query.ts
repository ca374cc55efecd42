import { type Embedder, EmbeddingError } from '../../shared/embedding/embedder.ts'
import { ApiError, Unavailable } from '../../shared/http/errors.ts'

/** The circuit breaker's longest pause; a provider may ask for any number. */
const maxRetryAfterSeconds = 600

/** @throws Unavailable when the provider is down, too slow or rejects our key; ApiError validation_failed when it rejects the text */
export async function embedQuery(embedder: Embedder, query: string, timeoutSeconds: number): Promise<Float32Array> {
  try {
    const [vector] = await embedder.embed([query], { timeoutSeconds })
    return vector!
  } catch (error) {
    if (!(error instanceof EmbeddingError)) throw error
    if (error.reason !== 'input_rejected') throw unavailable(error)
    throw new ApiError('validation_failed', 'The embedding provider rejected the query.', {
      errors: [{ pointer: '/query', code: 'refused', detail: error.message }],
      cause: error,
    })
  }
}

function unavailable(error: EmbeddingError): Unavailable {
  const { retryAfterSeconds: seconds } = error
  const bounded = seconds && Math.min(maxRetryAfterSeconds, Math.ceil(seconds))
  return new Unavailable('embedding_provider', error, bounded || undefined)
}

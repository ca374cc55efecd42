import { type Embedder, EmbeddingError } from '../../shared/embedder.ts'
import { ApiError, Unavailable } from '../../shared/errors.ts'

/**
 * The vector of a caller's question.
 * @throws Unavailable when the provider is busy, down or refuses our key; ApiError validation_failed when it refuses the text
 */
export async function embedQuery(embedder: Embedder, query: string): Promise<Float32Array> {
  try {
    const [vector] = await embedder.embed([query])
    return vector!
  } catch (error) {
    if (!(error instanceof EmbeddingError)) throw error
    if (error.reason !== 'refused') throw new Unavailable('embedding_provider', error)
    throw new ApiError('validation_failed', 'The embedding provider refused the query.', {
      errors: [{ pointer: '/query', code: 'refused', detail: error.message }],
      cause: error,
    })
  }
}

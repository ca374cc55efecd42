import { config } from './config.ts'
import { lexicalEmbedder } from './lexical-embedder.ts'
import { openAiEmbedder } from './openai-embedder.ts'
import { secret } from './secrets.ts'

/** The port to an embedding model. */
export interface Embedder {
  /** Name of the model, and so of the space its vectors live in. */
  readonly model: string
  /**
   * Vectors of the texts, in their order: 1536 finite numbers each, of length 1.
   * @throws EmbeddingError
   */
  embed(texts: string[], signal?: AbortSignal): Promise<Float32Array[]>
}

/**
 * Why texts were not embedded: `busy`, the provider is overloaded, down, too slow or answers nonsense, and may do it later;
 * `refused`, it will never embed this input; `forbidden`, it does not accept our key.
 */
export class EmbeddingError extends Error {
  readonly reason: 'busy' | 'refused' | 'forbidden'
  /** Seconds after which the provider asks to be tried again. */
  readonly retryAfterSeconds: number | undefined

  constructor(
    reason: EmbeddingError['reason'],
    message: string,
    more: { retryAfterSeconds?: number | undefined; cause?: unknown } = {},
  ) {
    super(message, { cause: more.cause })
    this.reason = reason
    this.retryAfterSeconds = more.retryAfterSeconds
  }
}

/** The embedder that the environment asks for: an OpenAI-compatible provider, or without one the lexical embedder. */
export function configuredEmbedder(): Embedder {
  const { EMBEDDING_BASE_URL, EMBEDDING_MODEL, EMBEDDING_API_KEY, EMBEDDING_SECRET_ARN, EMBEDDING_TIMEOUT_SECONDS } =
    config()
  if (!EMBEDDING_BASE_URL) return lexicalEmbedder()
  return openAiEmbedder({
    baseUrl: EMBEDDING_BASE_URL,
    model: EMBEDDING_MODEL,
    apiKey: secret({ value: EMBEDDING_API_KEY, arn: EMBEDDING_SECRET_ARN }),
    timeoutSeconds: EMBEDDING_TIMEOUT_SECONDS,
  })
}

export interface Embedder {
  readonly model: string
  /** By default as of OpenAI's text-embedding-3. */
  readonly similarity?: Similarity
  /** Whether it needs no network: then its vectors are made as quickly as they are looked up. */
  readonly isLocal?: boolean
  /** Whether a second call may be made beside a slow one; by default always. */
  mayHedge?(): boolean
  /** In order: 1536 finite numbers each, of length 1. The provider's limits of one call apply. @throws EmbeddingError */
  embed(texts: string[], options?: EmbedOptions): Promise<Float32Array[]>
}

/** What the cosine of two vectors of a model says. */
export interface Similarity {
  /** Of a text that has nothing to do with a question. */
  readonly unlike: number
  /** Of one that answers it. */
  readonly alike: number
  /** How far it is to be believed, 0 to 1, where a question and the agent's texts have no word in common. */
  readonly trust: number
}

export interface EmbedOptions {
  /** In all, retries included; then the call ends `unavailable`, which counts as the provider's timeout. */
  timeoutSeconds?: number
  /** The call then ends `unavailable`, which does not count as the provider's timeout. */
  signal?: AbortSignal
}

/**
 * `unavailable`: overloaded, down, too slow or an invalid response, retry later; `input_rejected`: this input will never be
 * embedded; `key_rejected`: our key or settings are not accepted, whatever the input; `wrong_model`: the provider does not have the
 * model, or its vectors are not of 1536 numbers.
 */
export class EmbeddingError extends Error {
  readonly reason: 'unavailable' | 'input_rejected' | 'key_rejected' | 'wrong_model'
  readonly retryAfterSeconds: number | undefined
  readonly status: number | undefined

  /** @param message for callers, without secrets and addresses; where the input was rejected it may quote that, so keep it out of logs */
  constructor(
    reason: EmbeddingError['reason'],
    message: string,
    details: { retryAfterSeconds?: number | undefined; status?: number | undefined; cause?: unknown } = {},
  ) {
    super(message, { cause: details.cause })
    this.reason = reason
    this.retryAfterSeconds = details.retryAfterSeconds
    this.status = details.status
  }

  /** What no retry ends, but whoever has set key, address and model. */
  get isConfigurationError(): boolean {
    return this.reason === 'key_rejected' || this.reason === 'wrong_model'
  }
}

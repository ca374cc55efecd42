/** The port to an embedding model. */
export interface Embedder {
  /** Name of the model, and so of the space its vectors live in. */
  readonly model: string
  /**
   * Vectors of the texts, in their order: 1536 finite numbers each, of length 1. The caller keeps to what the provider
   * takes at once.
   * @throws EmbeddingError
   */
  embed(texts: string[], options?: EmbedOptions): Promise<Float32Array[]>
}

/** How long the caller of `embed` waits. */
export interface EmbedOptions {
  /** The longest it may take in all, retries included; then it ends `unavailable`, and the provider is taken to be hanging. */
  timeoutSeconds?: number
  /** Gives the call up, which then ends `unavailable` and says nothing about the provider. */
  signal?: AbortSignal
}

/**
 * Why texts were not embedded: `unavailable`, the provider is overloaded, down, too slow or answers nonsense, and may do it later;
 * `input_rejected`, it will never embed this input; `key_rejected`, it does not accept our key or our settings, whatever the input.
 */
export class EmbeddingError extends Error {
  readonly reason: 'unavailable' | 'input_rejected' | 'key_rejected'
  /** Seconds after which the provider asks to be tried again. */
  readonly retryAfterSeconds: number | undefined
  /** The HTTP status, where there was an answer. */
  readonly status: number | undefined

  /** @param message for people, free of secrets; of a refused input it may quote the input, so it is kept out of logs */
  constructor(
    reason: EmbeddingError['reason'],
    message: string,
    more: { retryAfterSeconds?: number | undefined; status?: number | undefined; cause?: unknown } = {},
  ) {
    super(message, { cause: more.cause })
    this.reason = reason
    this.retryAfterSeconds = more.retryAfterSeconds
    this.status = more.status
  }
}

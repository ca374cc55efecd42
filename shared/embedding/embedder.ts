export interface Embedder {
  /** Name of the model, and so of the space its vectors live in. */
  readonly model: string
  /**
   * Vectors of the texts, in their order: 1536 finite numbers each, of length 1. The caller keeps to the
   * provider's limits of one call.
   * @throws EmbeddingError
   */
  embed(texts: string[], options?: EmbedOptions): Promise<Float32Array[]>
}

export interface EmbedOptions {
  /** For the whole of it, retries included; after them it ends `unavailable`, which counts as the provider's timeout. */
  timeoutSeconds?: number
  /** Aborts the call, which then ends `unavailable` and does not count as the provider's timeout. */
  signal?: AbortSignal
}

/**
 * Why texts were not embedded: `unavailable`, the provider is overloaded, down, too slow or sends an invalid response: retry later;
 * `input_rejected`, it will never embed this input; `key_rejected`, it does not accept our key or our settings, whatever the input.
 */
export class EmbeddingError extends Error {
  readonly reason: 'unavailable' | 'input_rejected' | 'key_rejected'
  readonly retryAfterSeconds: number | undefined
  readonly status: number | undefined

  /** @param message for people, free of secrets; of a rejected input it may quote the input, so it is kept out of logs */
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
}

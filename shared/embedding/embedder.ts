export interface Embedder {
  readonly model: string
  /** In order: 1536 finite numbers each, of length 1. The provider's limits of one call apply. @throws EmbeddingError */
  embed(texts: string[], options?: EmbedOptions): Promise<Float32Array[]>
}

export interface EmbedOptions {
  /** In all, retries included; then the call ends `unavailable`, which counts as the provider's timeout. */
  timeoutSeconds?: number
  /** The call then ends `unavailable`, which does not count as the provider's timeout. */
  signal?: AbortSignal
}

/**
 * `unavailable`: overloaded, down, too slow or an invalid response, retry later; `input_rejected`: this input will never be
 * embedded; `key_rejected`: our key or settings are not accepted, whatever the input.
 */
export class EmbeddingError extends Error {
  readonly reason: 'unavailable' | 'input_rejected' | 'key_rejected'
  readonly retryAfterSeconds: number | undefined
  readonly status: number | undefined

  /** @param message without secrets; may quote a rejected input, so keep it out of logs */
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

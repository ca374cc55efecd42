export interface Embedder {
  readonly model: string
  /** The previous embedder, while its model may still serve agents. */
  readonly previous?: Embedder | undefined
  /** Needs no network, so its vectors are not stored. */
  readonly isLocal?: boolean
  /** True if a second call may race a slow one; without this method, it always may. */
  mayHedge?(): boolean
  /** Returns a normalized vector of 1536 finite numbers for each text, in order. @throws EmbeddingError */
  embed(texts: string[], options?: EmbedOptions): Promise<Float32Array[]>
}

export interface EmbedOptions {
  /** Some models want a different prefix for each kind of text; `document` by default. */
  of?: 'query' | 'document'
  /** Retries included; ends the call `unavailable`, which counts as a timeout of the provider. */
  timeoutSeconds?: number
  /** Ends the call `unavailable`, which does not count as a timeout. */
  signal?: AbortSignal
}

/**
 * `unavailable`: retry later; `input_rejected`: never retry this input; `key_rejected`: our key or settings are rejected;
 * `wrong_model`: the provider does not have the model, or its vectors have more than 1536 numbers.
 */
export class EmbeddingError extends Error {
  readonly reason: 'unavailable' | 'input_rejected' | 'key_rejected' | 'wrong_model'
  readonly retryAfterSeconds: number | undefined
  readonly status: number | undefined

  /** @param message for callers, without secrets and addresses; may quote a rejected input, so keep that out of logs */
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

  get isConfigurationError(): boolean {
    return this.reason === 'key_rejected' || this.reason === 'wrong_model'
  }
}

/** Ends on abort even if the work ignores the signal. @throws EmbeddingError unavailable */
export async function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  let abort = () => {}
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(new EmbeddingError('unavailable', 'The call was aborted', { cause: signal.reason }))
  })
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

const checkSeconds = 10

/** Embeds one word. @returns the fault of the provider or of our settings, or undefined */
export async function checkEmbedder(embedder: Embedder): Promise<string | undefined> {
  try {
    await embedder.embed(['hello'], { timeoutSeconds: checkSeconds })
    return undefined
  } catch (error) {
    if (error instanceof EmbeddingError) return error.message
    throw error
  }
}

/** Embeds two texts of this length that differ only at the end. @returns a warning if the model does not read that far, or undefined */
export async function checkChunkTokens(embedder: Embedder, tokens: number): Promise<string | undefined> {
  const end = Math.ceil(tokens / 10)
  const texts = ['tea', 'invoice'].map((word) => 'tea '.repeat(tokens - end) + `${word} `.repeat(end))
  const advice = 'set CHUNK_TOKENS to less than the model reads'
  try {
    const [one, other] = await embedder.embed(texts, { timeoutSeconds: checkSeconds })
    if (one!.some((number, i) => Math.abs(number - other![i]!) > 1e-4)) return undefined
    return `${embedder.model} ignores the end of a chunk of CHUNK_TOKENS, ${tokens}: ${advice}`
  } catch (error) {
    if (!(error instanceof EmbeddingError && error.reason === 'input_rejected')) return undefined
    return `${embedder.model} rejects a chunk of CHUNK_TOKENS, ${tokens} (${error.message}): ${advice}`
  }
}

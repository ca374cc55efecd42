import { traceContext } from '../http/trace-context.ts'
import { report } from '../telemetry/metrics.ts'
import { circuitBreaker, type Pauses } from './circuit-breaker.ts'
import { type Embedder, EmbeddingError, unlessAborted } from './embedder.ts'
import { codeOf, reasonOf, toEmbeddingError, wrongDimensions } from './openai-error.ts'
import { type Body, bodyOf, tooManyDimensions, vectorsOf } from './openai-response.ts'
import { dimensions } from './vectors.ts'

export interface Provider {
  baseUrl: string
  model: string
  /** The key, empty for a provider without keys; given a rejected one, another if it has been rotated. */
  apiKey: (rejected?: string) => string | Promise<string>
  /** The prefixes that the model wants before a question, such as `query: `, and before a passage. */
  queryPrefix?: string | undefined
  documentPrefix?: string | undefined
  timeoutSeconds: number
  now?: () => number
  fetch?: typeof fetch
}

const settingsPauses: Pauses = { initial: 15_000, max: 600_000 }
const timeoutPauses: Pauses = { initial: 5_000, max: 60_000 }
const maxConsecutiveTimeouts = 3

const probeText = 'hello'

/**
 * Calls any provider with OpenAI's API by `fetch`, since the `openai` package ignores our time limits. Rejected keys, a missing model
 * and time-outs open the breaker. Other models get `dimensions` only after a longer vector, since many servers reject the field.
 */
export function openAiEmbedder(provider: Provider): Embedder {
  const breaker = circuitBreaker(provider.now)
  const url = `${provider.baseUrl.replace(/\/$/, '')}/embeddings`
  let isShortened = /text-embedding-3-/.test(provider.model)
  let consecutiveTimeouts = 0
  let openedBy: Pick<EmbeddingError, 'reason' | 'message'> | undefined

  async function call(
    texts: string[],
    apiKey: string,
    signal: AbortSignal,
    asksForDimensions: boolean,
  ): Promise<Response> {
    const traceparent = traceContext.getStore()
    try {
      return await (provider.fetch ?? fetch)(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(apiKey && { authorization: `Bearer ${apiKey}` }),
          ...(traceparent && { traceparent }),
        },
        body: JSON.stringify({
          model: provider.model,
          input: texts,
          encoding_format: 'base64',
          ...(asksForDimensions && { dimensions }),
        }),
        signal,
        // The key and the texts go only to the operator's address.
        redirect: 'manual',
      })
    } catch (cause) {
      throw new EmbeddingError('unavailable', `The embedding provider cannot be reached${codeOf(cause)}`, { cause })
    }
  }

  async function key(rejected?: string): Promise<string> {
    try {
      return await provider.apiKey(rejected)
    } catch (cause) {
      throw new EmbeddingError('unavailable', 'The key of the embedding provider cannot be fetched', { cause })
    }
  }

  async function embedOnce(texts: string[], signal: AbortSignal): Promise<Float32Array[]> {
    let apiKey = await key()
    let asksForDimensions = isShortened
    let response = await call(texts, apiKey, signal, asksForDimensions)
    if (response.status === 401 || response.status === 403) {
      const rejected = apiKey
      apiKey = await key(rejected)
      if (apiKey !== rejected) response = await retry(response)
    } else if (isRetriedAtOnce(response)) response = await retry(response)

    if (reasonOf(response.status) === 'key_rejected' && (await isProbeAccepted(apiKey, signal))) {
      response = await retry(response)
      if (reasonOf(response.status) === 'key_rejected') throw await errorOf(response, 'input_rejected')
    }
    if (!response.ok) throw await errorOf(response)
    const body = await bodyOf(response, texts.length)
    const other = tooManyDimensions(body)
    const { vectors, tokens } = vectorsOf(other === undefined ? body : await shortened(other), texts.length)
    report({ EmbeddingTokens: tokens })
    return vectors

    /** @throws EmbeddingError wrong_model */
    async function shortened(length: number): Promise<Body> {
      if (asksForDimensions) throw wrongDimensions(provider.model, length)
      asksForDimensions = true
      const response = await call(texts, apiKey, signal, asksForDimensions)
      if (!response.ok && reasonOf(response.status) === 'unavailable') throw await errorOf(response)
      const body = response.ok ? await bodyOf(response, texts.length) : await response.body?.cancel()
      if (!body || tooManyDimensions(body) !== undefined) throw wrongDimensions(provider.model, length)
      isShortened = true
      return body
    }

    function errorOf(response: Response, reason?: EmbeddingError['reason']): Promise<EmbeddingError> {
      return toEmbeddingError(response, { ...provider, apiKey, texts }, reason)
    }

    async function retry(failed: Response): Promise<Response> {
      await failed.body?.cancel()
      return await call(texts, apiKey, signal, asksForDimensions)
    }
  }

  /** True if the text and not the key was rejected, such as by a firewall. @throws EmbeddingError unavailable */
  async function isProbeAccepted(apiKey: string, signal: AbortSignal): Promise<boolean> {
    const response = await call([probeText], apiKey, signal, isShortened)
    if (!response.ok && reasonOf(response.status) === 'unavailable')
      throw await toEmbeddingError(response, { ...provider, apiKey, texts: [probeText] })
    await response.body?.cancel()
    return response.ok
  }

  function open(pauses: Pauses, { reason, message, status, cause }: EmbeddingError): EmbeddingError {
    breaker.onFailure(pauses)
    openedBy = { reason, message }
    return new EmbeddingError(reason, message, { status, cause, retryAfterSeconds: breaker.retryAfterSeconds() })
  }

  function recordFailure(
    error: unknown,
    { isTimeout, isAborted }: { isTimeout: boolean; isAborted: boolean },
  ): unknown {
    if (!(error instanceof EmbeddingError)) {
      breaker.onInconclusive()
      return error
    }
    if (error.isConfigurationError) return open(settingsPauses, error)
    if (error.reason === 'unavailable' && isTimeout && !isAborted) {
      const timeout = new EmbeddingError('unavailable', 'The embedding provider timed out', { cause: error })
      if (++consecutiveTimeouts >= maxConsecutiveTimeouts) return open(timeoutPauses, timeout)
      breaker.onInconclusive()
      return timeout
    }
    if (error.status === undefined || isAborted) breaker.onInconclusive()
    else breaker.onSuccess()
    return error
  }

  const prefixes = { query: provider.queryPrefix ?? '', document: provider.documentPrefix ?? '' }
  return {
    // With other prefixes the same text has another vector.
    model: [provider.model, prefixes.query, prefixes.document].join(' ').trim(),
    mayHedge: () => breaker.retryAfterSeconds() === 0,
    async embed(given, { of = 'document', signal, timeoutSeconds = provider.timeoutSeconds } = {}) {
      const texts = given.map((text) => prefixes[of] + text)
      if (!breaker.tryAcquire()) {
        const { reason, message } = openedBy!
        const error = new EmbeddingError(reason, message, { retryAfterSeconds: breaker.retryAfterSeconds() })
        report(error.isConfigurationError ? { ProviderKeyRejected: 1 } : { ProviderErrors: 1 })
        throw error
      }
      const started = performance.now()
      const deadline = AbortSignal.timeout(Math.ceil(timeoutSeconds * 1000))
      const aborted = signal ? AbortSignal.any([deadline, signal]) : deadline
      try {
        const vectors = await unlessAborted(aborted, embedOnce(texts, aborted))
        consecutiveTimeouts = 0
        breaker.onSuccess()
        return vectors
      } catch (thrown) {
        const error = recordFailure(thrown, { isTimeout: deadline.aborted, isAborted: signal?.aborted ?? false })
        const isConfigurationError = error instanceof EmbeddingError && error.isConfigurationError
        if (!signal?.aborted) report({ ProviderErrors: 1, ...(isConfigurationError && { ProviderKeyRejected: 1 }) })
        throw error
      } finally {
        report({ ProviderLatency: Math.round(performance.now() - started) })
      }
    },
  }
}

/** Excludes 504: a call that timed out behind a gateway may have been billed. */
function isRetriedAtOnce({ status, headers }: Response): boolean {
  return (status === 500 || status === 502 || status === 503) && !headers.has('retry-after')
}

import { report } from '../metrics.ts'
import { breaker, type Pauses } from './circuit-breaker.ts'
import { type Embedder, EmbeddingError } from './embedder.ts'
import { reasonOf, toEmbeddingError } from './openai-error.ts'
import { vectorsOf } from './openai-response.ts'

export interface Provider {
  /** Where `/embeddings` hangs, for example https://api.openai.com/v1 */
  baseUrl: string
  model: string
  /** Gives the key; given one that was refused, another if there is one by now. */
  apiKey: (refused?: string) => string | Promise<string>
  /** The longest an `embed` may take, key and retries included, unless its caller says otherwise. */
  timeoutSeconds: number
  /** A clock in milliseconds. */
  now?: () => number
  fetch?: typeof fetch
}

/** While our key is refused. */
const keyPauses: Pauses = { first: 15_000, longest: 600_000 }
/** While the provider hangs: shorter than most outages, so that their end is soon seen. */
const hangPauses: Pauses = { first: 5_000, longest: 60_000 }
/** Time-outs, without a success between them, after which the provider is taken to be hanging. */
const maxTimeOuts = 3

/** Nobody's words, to which no filter objects. */
const probeText = 'hello'

/**
 * Any provider with OpenAI's embeddings call; every vector of an answer is checked. When it refuses our key, a freshly fetched
 * one too, or when it hangs, no call is made for a while: each `embed` then ends `forbidden` or `busy` at once, and after each
 * pause one probes.
 *
 * Plain `fetch`: the `openai` package would add 150 kB to two bundles (the search Lambda may have 400 in all) and leave
 * all of this to do: its retries know nothing of ours, and it checks no vector.
 */
export function openAiEmbedder(provider: Provider): Embedder {
  const gate = breaker(provider.now)
  const url = `${provider.baseUrl.replace(/\/$/, '')}/embeddings`
  let timeOuts = 0
  /** Why the breaker is open. */
  let trouble: Pick<EmbeddingError, 'reason' | 'message'> | undefined

  async function call(texts: string[], apiKey: string, signal: AbortSignal): Promise<Response> {
    try {
      return await (provider.fetch ?? fetch)(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
        body: JSON.stringify({ model: provider.model, input: texts, encoding_format: 'base64' }),
        signal,
      })
    } catch (cause) {
      throw new EmbeddingError('unavailable', 'The embedding provider cannot be reached', { cause })
    }
  }

  async function key(refused?: string): Promise<string> {
    try {
      return await provider.apiKey(refused)
    } catch (cause) {
      throw new EmbeddingError('unavailable', 'The key of the embedding provider cannot be fetched', { cause })
    }
  }

  async function embedOnce(texts: string[], signal: AbortSignal): Promise<Float32Array[]> {
    let apiKey = await key()
    let response = await call(texts, apiKey, signal)
    if (response.status === 401 || response.status === 403) {
      const refused = apiKey
      apiKey = await key(refused)
      if (apiKey !== refused) response = await again(response)
    } else if (isOneOff(response)) response = await again(response)

    if (reasonOf(response.status) === 'key_rejected' && (await isProbeAccepted(apiKey, signal))) {
      response = await again(response)
      if (reasonOf(response.status) === 'key_rejected') throw await toEmbeddingError(response, apiKey, 'input_rejected')
    }
    if (!response.ok) throw await toEmbeddingError(response, apiKey)
    const { vectors, tokens } = vectorsOf(await bodyOf(response), texts.length)
    report({ EmbeddingTokens: tokens })
    return vectors

    async function again(before: Response): Promise<Response> {
      await before.body?.cancel()
      return await call(texts, apiKey, signal)
    }
  }

  /**
   * Tells a refused text (a firewall before the provider answers with 403, for one) from a refused key.
   * @throws EmbeddingError busy, when the answer tells neither
   */
  async function isProbeAccepted(apiKey: string, signal: AbortSignal): Promise<boolean> {
    const response = await call([probeText], apiKey, signal)
    if (!response.ok && reasonOf(response.status) === 'unavailable') throw await toEmbeddingError(response, apiKey)
    await response.body?.cancel()
    return response.ok
  }

  function open(pauses: Pauses, { reason, message, status, cause }: EmbeddingError): EmbeddingError {
    gate.open(pauses)
    trouble = { reason, message }
    return new EmbeddingError(reason, message, { status, cause, retryAfterSeconds: gate.remainingSeconds() })
  }

  /** Opens or closes the breaker by how a call failed. @returns the error for its caller */
  function settle(error: unknown, { isLate, isGivenUp }: { isLate: boolean; isGivenUp: boolean }): unknown {
    if (!(error instanceof EmbeddingError)) {
      gate.release()
      return error
    }
    if (error.reason === 'key_rejected') return open(keyPauses, error)
    if (error.reason === 'unavailable' && isLate && !isGivenUp) {
      const timeOut = new EmbeddingError('unavailable', 'The embedding provider does not answer in time', {
        cause: error,
      })
      if (++timeOuts >= maxTimeOuts) return open(hangPauses, timeOut)
      gate.release()
      return timeOut
    }
    if (error.status === undefined || isGivenUp) gate.release()
    else gate.close()
    return error
  }

  return {
    model: provider.model,
    async embed(texts, { signal, timeoutSeconds = provider.timeoutSeconds } = {}) {
      if (!gate.admits()) {
        const { reason, message } = trouble!
        report(reason === 'key_rejected' ? { ProviderKeyRejected: 1 } : { ProviderErrors: 1 })
        throw new EmbeddingError(reason, message, { retryAfterSeconds: gate.remainingSeconds() })
      }
      const started = performance.now()
      const deadline = AbortSignal.timeout(Math.ceil(timeoutSeconds * 1000))
      const end = signal ? AbortSignal.any([deadline, signal]) : deadline
      try {
        const vectors = await before(end, embedOnce(texts, end))
        timeOuts = 0
        gate.close()
        return vectors
      } catch (thrown) {
        const error = settle(thrown, { isLate: deadline.aborted, isGivenUp: signal?.aborted ?? false })
        const isKeyRejected = error instanceof EmbeddingError && error.reason === 'key_rejected'
        report({ ProviderErrors: 1, ...(isKeyRejected && { ProviderKeyRejected: 1 }) })
        throw error
      } finally {
        report({ ProviderLatency: Math.round(performance.now() - started) })
      }
    },
  }
}

/** The result of work that may take no notice of the signal. @throws EmbeddingError busy once it is aborted */
async function before<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = () => reject(new EmbeddingError('unavailable', 'The call was given up', { cause: signal.reason }))
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

async function bodyOf(response: Response): Promise<unknown> {
  try {
    return await response.json()
  } catch (cause) {
    throw new EmbeddingError('unavailable', 'The embedding provider broke off its answer', {
      status: response.status,
      cause,
    })
  }
}

/** Worth one more call at once. Not 504: what timed out behind a gateway may have been done, and billed. */
function isOneOff({ status, headers }: Response): boolean {
  return (status === 500 || status === 502 || status === 503) && !headers.has('retry-after')
}

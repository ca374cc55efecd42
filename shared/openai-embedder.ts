import { breaker } from './breaker.ts'
import { type Embedder, EmbeddingError } from './embedder.ts'
import { vectorsOf } from './embedding-answer.ts'
import { report } from './metrics.ts'
import { refusalOf } from './provider-refusal.ts'

export interface Provider {
  /** Where `/embeddings` hangs, for example https://api.openai.com/v1 */
  baseUrl: string
  model: string
  /** Gives the key; given one that was refused, another if there is one by now. */
  apiKey: (refused?: string) => string | Promise<string>
  /** The longest a call may take, its answer included. */
  timeoutSeconds: number
  /** A clock in milliseconds. */
  now?: () => number
  fetch?: typeof fetch
}

/**
 * Any provider with OpenAI's embeddings call; every vector of an answer is checked. When it refuses our key, and a freshly
 * fetched one too, no call is made for a while: each `embed` then ends `forbidden` at once, and after each pause one probes.
 *
 * Plain `fetch`: the `openai` package would add 150 kB to two bundles (the search Lambda may have 400 in all) and leave
 * all of this to do: its retries know nothing of ours, and it checks no vector.
 */
export function openAiEmbedder(provider: Provider): Embedder {
  const gate = breaker(provider.now)
  const url = `${provider.baseUrl.replace(/\/$/, '')}/embeddings`

  async function call(texts: string[], apiKey: string, signal?: AbortSignal): Promise<Response> {
    const deadline = AbortSignal.timeout(provider.timeoutSeconds * 1000)
    try {
      return await (provider.fetch ?? fetch)(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
        body: JSON.stringify({ model: provider.model, input: texts, encoding_format: 'base64' }),
        signal: signal ? AbortSignal.any([deadline, signal]) : deadline,
      })
    } catch (cause) {
      throw new EmbeddingError('busy', 'The embedding provider cannot be reached', { cause })
    }
  }

  async function key(refused?: string): Promise<string> {
    try {
      return await provider.apiKey(refused)
    } catch (cause) {
      throw new EmbeddingError('busy', 'The key of the embedding provider cannot be fetched', { cause })
    }
  }

  async function embedOnce(texts: string[], signal?: AbortSignal): Promise<Float32Array[]> {
    let apiKey = await key()
    let response = await call(texts, apiKey, signal)
    if (isForbidden(response.status)) {
      await response.body?.cancel()
      apiKey = await key(apiKey)
      response = await call(texts, apiKey, signal)
    } else if (isOneOff(response)) {
      await response.body?.cancel()
      response = await call(texts, apiKey, signal)
    }
    if (!response.ok) throw await refusalOf(response, apiKey)
    const { vectors, tokens } = vectorsOf(await bodyOf(response), texts.length)
    report({ EmbeddingTokens: tokens })
    return vectors
  }

  return {
    model: provider.model,
    async embed(texts, signal) {
      if (!gate.admits()) {
        report({ ProviderRefused: 1 })
        throw new EmbeddingError('forbidden', 'The embedding provider refuses our key', {
          retryAfterSeconds: gate.remainingSeconds(),
        })
      }
      const started = performance.now()
      try {
        const vectors = await embedOnce(texts, signal)
        gate.close()
        return vectors
      } catch (error) {
        const { reason, status } = error instanceof EmbeddingError ? error : {}
        if (reason === 'forbidden') gate.open()
        else if (status === undefined) gate.release()
        else gate.close()
        report(reason === 'forbidden' ? { ProviderRefused: 1, ProviderErrors: 1 } : { ProviderErrors: 1 })
        throw error
      } finally {
        report({ ProviderLatency: Math.round(performance.now() - started) })
      }
    },
  }
}

async function bodyOf(response: Response): Promise<unknown> {
  try {
    return await response.json()
  } catch (cause) {
    throw new EmbeddingError('busy', 'The embedding provider broke off its answer', { status: response.status, cause })
  }
}

function isForbidden(status: number): boolean {
  return status === 401 || status === 403
}

/** Worth one more call at once. Not 504: what timed out behind a gateway may have been done, and billed. */
function isOneOff({ status, headers }: Response): boolean {
  return (status === 500 || status === 502 || status === 503) && !headers.has('retry-after')
}

import * as v from 'valibot'
import { type Embedder, EmbeddingError } from './embedder.ts'
import { normalize, vectorFault } from './vectors.ts'

export interface Provider {
  /** Where `/embeddings` hangs, for example https://api.openai.com/v1 */
  baseUrl: string
  model: string
  apiKey: (refused?: boolean) => string | Promise<string>
  timeoutSeconds: number
}

const answer = v.object({
  data: v.array(v.object({ index: v.number(), embedding: v.union([v.string(), v.array(v.number())]) })),
})

/** Any provider with OpenAI's embeddings call. One call an `embed`; every vector of the answer is checked. */
export function openAiEmbedder(provider: Provider): Embedder {
  async function call(texts: string[], apiKey: string, signal?: AbortSignal): Promise<Response> {
    const deadline = AbortSignal.timeout(provider.timeoutSeconds * 1000)
    try {
      return await fetch(`${provider.baseUrl.replace(/\/$/, '')}/embeddings`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
        body: JSON.stringify({ model: provider.model, input: texts, encoding_format: 'base64' }),
        signal: signal ? AbortSignal.any([deadline, signal]) : deadline,
      })
    } catch (cause) {
      throw new EmbeddingError('busy', 'The embedding provider cannot be reached', { cause })
    }
  }

  return {
    model: provider.model,
    async embed(texts, signal) {
      let response = await call(texts, await provider.apiKey(), signal)
      if (isForbidden(response)) response = await call(texts, await provider.apiKey(true), signal)
      if (!response.ok) throw await failure(response)
      return vectorsOf(await bodyOf(response), texts.length)
    },
  }
}

async function bodyOf(response: Response): Promise<unknown> {
  try {
    return await response.json()
  } catch (cause) {
    throw new EmbeddingError('busy', 'The embedding provider broke off its answer', { cause })
  }
}

function isForbidden({ status }: Response): boolean {
  return status === 401 || status === 403
}

/** 4xx other than these says that the input is at fault. */
const transient = new Set([408, 409, 425, 429])

async function failure(response: Response): Promise<EmbeddingError> {
  const text = await response.text().catch(() => '')
  if (isForbidden(response))
    return new EmbeddingError('forbidden', `The embedding provider answered ${response.status}`)
  if (response.status >= 500 || transient.has(response.status))
    return new EmbeddingError('busy', `The embedding provider answered ${response.status}`, {
      retryAfterSeconds: retryAfter(response.headers.get('retry-after')),
    })
  const parsed = v.safeParse(
    v.pipe(v.string(), v.parseJson(), v.object({ error: v.object({ message: v.string() }) })),
    text,
  )
  return new EmbeddingError(
    'refused',
    parsed.success ? parsed.output.error.message.slice(0, 300) : `status ${response.status}`,
  )
}

/** Seconds; the header holds them or a date. */
function retryAfter(header: string | null): number | undefined {
  if (!header) return undefined
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined
}

/** Maps by `index`: providers do answer 200 with too few, too many, reordered or zero vectors. */
function vectorsOf(body: unknown, count: number): Float32Array[] {
  const result = v.safeParse(answer, body)
  if (!result.success) throw nonsense('an answer of another shape')
  const vectors = new Array<Float32Array | undefined>(count).fill(undefined)
  for (const { index, embedding } of result.output.data) {
    if (!Number.isInteger(index) || index < 0 || index >= count || vectors[index])
      throw nonsense(`index ${index} for ${count} texts`)
    const vector = typeof embedding === 'string' ? fromBase64(embedding) : Float32Array.from(embedding)
    const fault = vectorFault(vector)
    if (fault) throw nonsense(`a vector that ${fault}`)
    vectors[index] = normalize(vector)
  }
  if (vectors.includes(undefined)) throw nonsense(`${result.output.data.length} vectors for ${count} texts`)
  return vectors as Float32Array[]
}

function nonsense(what: string): EmbeddingError {
  return new EmbeddingError('busy', `The embedding provider answered with ${what}`)
}

/** Little-endian float32, as OpenAI sends it. */
function fromBase64(text: string): Float32Array {
  const bytes = Buffer.from(text, 'base64')
  return Float32Array.from({ length: Math.floor(bytes.length / 4) }, (_, i) => bytes.readFloatLE(i * 4))
}

import * as v from 'valibot'
import { EmbeddingError } from './embedder.ts'
import { readBounded } from './openai-response.ts'
import { isQuoting, safeWords } from './provider-words.ts'
import { dimensions } from './vectors.ts'

const code = v.optional(v.nullable(v.union([v.string(), v.number()])))
const details = v.object({ message: v.string(), code, type: code })

/** OpenAI's `error`, its fields at the top level, or FastAPI's `detail`. */
const errorBody = v.pipe(
  v.string(),
  v.parseJson(),
  v.union([
    v.pipe(
      v.object({ error: v.union([v.pipe(v.string(), v.transform(toDetails)), details]) }),
      v.transform(({ error }) => error),
    ),
    details,
    v.pipe(
      v.object({ detail: v.string() }),
      v.transform(({ detail }) => toDetails(detail)),
    ),
  ]),
)

function toDetails(message: string): v.InferOutput<typeof details> {
  return { message }
}

const inputRejected = new Set([400, 413, 422])
const transient = new Set([408, 409, 423, 425, 429])
const noSuchModel = new Set<unknown>(['model_not_found', 'invalid_model'])

export function reasonOf(status: number): EmbeddingError['reason'] {
  if (inputRejected.has(status)) return 'input_rejected'
  return status >= 500 || status < 300 || transient.has(status) ? 'unavailable' : 'key_rejected'
}

const noQuota = 'insufficient_quota'
const maxErrorBytes = 64 * 1024

interface Call {
  baseUrl: string
  model: string
  apiKey: string
  texts: string[]
}

export async function toEmbeddingError(
  response: Response,
  call: Call,
  reason = reasonOf(response.status),
): Promise<EmbeddingError> {
  const { status, headers } = response
  const text = await readBounded(response, maxErrorBytes).catch(() => undefined)
  const parsed = v.safeParse(errorBody, text)
  const { message, code, type }: Partial<v.InferOutput<typeof details>> = parsed.success ? parsed.output : {}
  const words = message && safeWords(message, call)
  const isNamed = noSuchModel.has(code) || noSuchModel.has(type)
  const isNoSuchModel =
    reason === reasonOf(status) &&
    reason !== 'unavailable' &&
    (isNamed || (status === 404 && /\bmodel\b/i.test(message ?? '')))
  if (reason === 'input_rejected' && !isNoSuchModel)
    return new EmbeddingError(reason, words || `status ${status}`, { status })
  // People other than the texts' owner see this message.
  const said = words && !isQuoting(words, call.texts) ? `status ${status}: ${words}` : `status ${status}`
  if (isNoSuchModel)
    return new EmbeddingError(
      'wrong_model',
      `The embedding provider has no model ${call.model} (${said}): set EMBEDDING_MODEL ${suitable}`,
      { status },
    )
  const hasNoQuota = status === 429 && (code === noQuota || type === noQuota)
  const explained = hasNoQuota
    ? `Our account at the embedding provider has no quota left (${said}): add credit there, or raise its limit`
    : explanation(status, reason, said)
  const retryAfterSeconds = reason === 'unavailable' ? retryAfter(headers) : undefined
  return new EmbeddingError(reason, explained, { status, retryAfterSeconds })
}

const suitable = 'to another, such as text-embedding-3-small'

export function wrongDimensions(model: string, length: number): EmbeddingError {
  const message = `The model ${model} gives ${length} numbers, Cuecard stores ${dimensions} at most: set EMBEDDING_MODEL ${suitable}`
  return new EmbeddingError('wrong_model', message, { status: 200 })
}

function explanation(status: number, reason: EmbeddingError['reason'], said: string): string {
  if (status === 401 || status === 403)
    return `The embedding provider rejects our API key or account (${said}): set EMBEDDING_API_KEY to a valid key`
  if (status === 404)
    return `The embedding provider has nothing at our address for it (${said}): check EMBEDDING_BASE_URL`
  if (status >= 300 && status < 400)
    return `The embedding provider redirects to another address (${said}), which is not followed: set EMBEDDING_BASE_URL to the final one`
  if (reason === 'key_rejected')
    return `The embedding provider rejects our settings (${said}): check EMBEDDING_BASE_URL`
  return status === 429 ? `The embedding provider is busy (${said})` : `The embedding provider failed (${said})`
}

/** A connection's error code in parentheses, such as ` (ECONNREFUSED)`. */
export function codeOf(error: unknown): string {
  const { code } = ((error as { cause?: unknown } | undefined)?.cause ?? {}) as { code?: unknown }
  return typeof code === 'string' && /^[A-Z\d_]{3,40}$/.test(code) ? ` (${code})` : ''
}

const maxRetryAfterSeconds = 3600
const number = /^\d+(\.\d+)?$/
const date = /^[a-z]{3,9}, .* gmt$/i

/** The seconds until a retry, an hour at most; undefined if the provider names none. */
function retryAfter(headers: Headers): number | undefined {
  const read = (name: string) => headers.get(name) ?? ''
  const [milliseconds, header, sentAt] = [read('retry-after-ms'), read('retry-after'), read('date')]
  const now = date.test(sentAt) ? Date.parse(sentAt) : Date.now()
  const seconds = number.test(milliseconds)
    ? Number(milliseconds) / 1000
    : number.test(header)
      ? Number(header)
      : date.test(header)
        ? (Date.parse(header) - now) / 1000
        : Number.NaN
  return Number.isNaN(seconds) ? undefined : Math.min(maxRetryAfterSeconds, Math.max(0, seconds))
}

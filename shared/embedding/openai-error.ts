import * as v from 'valibot'
import { EmbeddingError } from './embedder.ts'
import { dimensions } from './vectors.ts'

const code = v.optional(v.nullable(v.union([v.string(), v.number()])))
const details = v.object({ message: v.string(), code, type: code })

/** As OpenAI has it, and as servers with its API do: `error` or its fields at the top, and FastAPI's `detail`. */
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

/** Any other 4xx is our key, address or settings. */
export function reasonOf(status: number): EmbeddingError['reason'] {
  if (inputRejected.has(status)) return 'input_rejected'
  return status >= 500 || status < 400 || transient.has(status) ? 'unavailable' : 'key_rejected'
}

const noQuota = 'insufficient_quota'

interface Settings {
  baseUrl: string
  model: string
  apiKey: string
}

export async function toEmbeddingError(
  response: Response,
  settings: Settings,
  reason = reasonOf(response.status),
): Promise<EmbeddingError> {
  const { status, headers } = response
  const text = await response.text().catch(() => '')
  const parsed = v.safeParse(errorBody, text)
  const body = parsed.success ? parsed.output : undefined
  const words = body && safeWords(body.message, settings)
  if (reason === 'input_rejected' && !isNoSuchModel())
    return new EmbeddingError(reason, words ?? `status ${status}`, { status })
  const said = words ? `status ${status}: ${words}` : `status ${status}`
  if (isNoSuchModel()) return new EmbeddingError('wrong_model', modelMissing(settings.model, said), { status })
  const retryAfterSeconds = reason === 'unavailable' ? retryAfter(headers) : undefined
  const message = isWithoutQuota() ? quotaUsedUp(said) : explanation(status, reason, said)
  return new EmbeddingError(reason, message, { status, retryAfterSeconds })

  function isWithoutQuota(): boolean {
    return status === 429 && (body?.code === noQuota || body?.type === noQuota)
  }

  function isNoSuchModel(): boolean {
    const isNamed = noSuchModel.has(body?.code) || noSuchModel.has(body?.type)
    return (
      reason === reasonOf(status) &&
      reason !== 'unavailable' &&
      (isNamed || (status === 404 && /\bmodel\b/i.test(body?.message ?? '')))
    )
  }
}

const suitable = `to one that gives ${dimensions}, such as text-embedding-3-small`

/** @param length of the vectors that the model gives */
export function wrongDimensions(model: string, length: number): EmbeddingError {
  const message = `The model ${model} gives ${length} numbers, Cuecard stores ${dimensions}: set EMBEDDING_MODEL ${suitable}`
  return new EmbeddingError('wrong_model', message, { status: 200 })
}

function modelMissing(model: string, said: string): string {
  return `The embedding provider has no model ${model} (${said}): set EMBEDDING_MODEL ${suitable}`
}

function quotaUsedUp(said: string): string {
  return `Our account at the embedding provider has no quota left (${said}): add credit there, or raise its limit`
}

function explanation(status: number, reason: EmbeddingError['reason'], said: string): string {
  if (status === 401 || status === 403)
    return `The embedding provider rejects our API key or account (${said}): set EMBEDDING_API_KEY to a valid key`
  if (status === 404)
    return `The embedding provider has nothing at our address for it (${said}): check EMBEDDING_BASE_URL`
  if (reason === 'key_rejected')
    return `The embedding provider rejects our settings (${said}): check EMBEDDING_BASE_URL`
  return status === 429 ? `The embedding provider is busy (${said})` : `The embedding provider failed (${said})`
}

/** The error code of a connection that could not be made, such as ECONNREFUSED, in parentheses. */
export function codeOf(error: unknown): string {
  const { code } = ((error as { cause?: unknown } | undefined)?.cause ?? {}) as { code?: unknown }
  return typeof code === 'string' && /^[A-Z\d_]{3,40}$/.test(code) ? ` (${code})` : ''
}

const maxCharacters = 200
/** Longer than what is kept, and short enough for the patterns. */
const maxUnits = 2000
/** A shorter one keeps no secret, and is part of many a word. */
const minKeyLength = 8
/** Whole URLs, and hosts with a port or of a private network. */
const addresses =
  /\b[a-z][a-z\d+.-]{0,20}:\/\/[^\s"'<>()]+|\[[\da-f:.]+\](:\d+)?|\b\d{1,3}(\.\d{1,3}){3}(:\d+)?\b|(?<![\w.-])[\w.-]+(:\d{2,5}\b|\.(internal|local|lan|corp|svc)\b)/gi

/** The provider's own words, safe to show and store: short, printable, without anything that looks like a key or an address. */
function safeWords(said: string, { apiKey, baseUrl }: Settings): string | undefined {
  const words = said
    .replaceAll(apiKey.length < minKeyLength ? '\0' : apiKey, '…')
    .replaceAll(new URL(baseUrl).hostname, '…')
    .slice(0, maxUnits)
    .replaceAll(/\b(bearer\s+|[a-z]{2,4}[-_](?=[\w*-]*[\d*]))[\w.*~+/=-]{8,}/gi, '…')
    .replaceAll(addresses, '…')
    .replaceAll(/[\p{Cc}\p{Cs}\s]+/gu, ' ')
    .trim()
  return [...words.toWellFormed()].slice(0, maxCharacters).join('').replace(/\.$/, '') || undefined
}

/** Seconds; `retry-after` holds them or a date, OpenAI adds `retry-after-ms`. */
function retryAfter(headers: Headers): number | undefined {
  const milliseconds = Number(headers.get('retry-after-ms') ?? Number.NaN)
  if (Number.isFinite(milliseconds)) return Math.max(0, milliseconds / 1000)
  const header = headers.get('retry-after')
  if (!header) return undefined
  const seconds = /^\s*\d+(\.\d+)?\s*$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined
}

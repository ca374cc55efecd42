import * as v from 'valibot'
import { EmbeddingError } from './embedder.ts'

const errorBody = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({ error: v.union([v.string(), v.object({ message: v.string() })]) }),
)

const inputRejected = new Set([400, 413, 422])
const transient = new Set([408, 409, 423, 425, 429])

/** Any other 4xx is our key, address or settings. */
export function reasonOf(status: number): EmbeddingError['reason'] {
  if (inputRejected.has(status)) return 'input_rejected'
  return status >= 500 || status < 400 || transient.has(status) ? 'unavailable' : 'key_rejected'
}

export async function toEmbeddingError(
  response: Response,
  apiKey: string,
  reason = reasonOf(response.status),
): Promise<EmbeddingError> {
  const { status, headers } = response
  const text = await response.text().catch(() => '')
  if (reason === 'input_rejected')
    return new EmbeddingError(reason, explanation(text, apiKey) ?? `status ${status}`, { status })
  const retryAfterSeconds = reason === 'unavailable' ? retryAfter(headers) : undefined
  return new EmbeddingError(reason, `The embedding provider responded with status ${status}`, {
    status,
    retryAfterSeconds,
  })
}

const maxCharacters = 200

/** The provider's own words, safe to show and store: short, printable, without anything that looks like a key. */
function explanation(body: string, apiKey: string): string | undefined {
  const parsed = v.safeParse(errorBody, body)
  if (!parsed.success) return undefined
  const { error } = parsed.output
  const words = (typeof error === 'string' ? error : error.message)
    .replaceAll(apiKey || '\0', '…')
    .replaceAll(/\b(bearer\s+|[a-z]{2,4}[-_](?=[\w*-]*[\d*]))[\w.*~+/=-]{8,}/gi, '…')
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

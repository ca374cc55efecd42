import { ApiError } from '../errors.ts'
import { payloadBytes, payloadLimit } from '../payload.ts'
import { maxLevels, parseBounded, TooManyLevels } from './json-levels.ts'

export const bodyLimit = 6_000_000

/** The body as it arrived; bytes may be invalid UTF-8. */
export type SentBody = string | Uint8Array

/** @throws ApiError, in this order: unsupported_media_type, payload_too_large, invalid_json (also for what Postgres cannot store) */
export function readJson(sent: SentBody, headers: Headers): unknown {
  if (sent.length > 0) checkMediaType(headers)
  const bytes = 3 * sent.length > bodyLimit ? Buffer.byteLength(sent) : 0
  if (bytes > bodyLimit)
    throw new ApiError('payload_too_large', `The body has ${bytes} bytes. The limit is ${bodyLimit} bytes.`)
  if (typeof sent === 'string' && isReplaced(sent, headers)) throw notUtf8()
  const text = typeof sent === 'string' ? sent.toWellFormed().replace(/^\ufeff/, '') : decode(sent)
  if (2 * text.length > payloadLimit && payloadBytes(text) > payloadLimit)
    throw new ApiError(
      'payload_too_large',
      `The body has ${payloadBytes(text)} bytes, where each quote, backslash and line break counts twice, as in AWS Lambda. The limit is ${payloadLimit} bytes.`,
    )
  return parse(text)
}

function checkMediaType(headers: Headers) {
  const type = headers.get('content-type') ?? ''
  if (!/^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?;?$/i.test(type.trim()))
    throw new ApiError('unsupported_media_type', 'Send the body as application/json in UTF-8.')
  const encoding = headers.get('content-encoding') || 'identity'
  if (encoding.trim().toLowerCase() !== 'identity')
    throw new ApiError('unsupported_media_type', 'Send the body uncompressed, without Content-Encoding.')
}

/** True if a gateway put U+FFFD in place of bytes that are not UTF-8, which makes the text longer than the sent body. */
function isReplaced(text: string, headers: Headers): boolean {
  const sent = headers.get('content-length')
  return sent !== null && text.includes('\ufffd') && Number(sent) !== Buffer.byteLength(text)
}

function notUtf8(cause?: unknown): ApiError {
  return new ApiError('invalid_json', 'The body is not valid UTF-8.', { cause })
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw notUtf8(cause)
  }
}

function parse(text: string): unknown {
  let value: unknown
  try {
    value = parseBounded(text)
  } catch (cause) {
    const detail =
      cause instanceof TooManyLevels
        ? `The body has more than ${maxLevels} levels of arrays and objects: ${placeIn(text, cause.at)} opens one more.`
        : explainJsonFault(text, (cause as SyntaxError).message)
    throw new ApiError('invalid_json', detail, { cause })
  }
  if (text.includes('\\u') && maybeUnstorable.test(text) && !isStorableJson(value))
    throw new ApiError(
      'invalid_json',
      'A string in the body contains U+0000 or a lone surrogate, which cannot be stored.',
    )
  return value
}

const maybeUnstorable = /\\u(0000|d[89a-f])/i

/** False if Postgres cannot store one of its strings. */
export function isStorableJson(root: unknown): boolean {
  const rest = [root]
  while (rest.length > 0) {
    const value = rest.pop()
    if (typeof value === 'string') {
      if (!value.isWellFormed() || value.includes('\0')) return false
    } else if (Array.isArray(value)) {
      for (const element of value) rest.push(element)
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, field] of Object.entries(value)) rest.push(name, field)
    }
  }
  return true
}

/** Says what V8 found and where, without the text that V8 quotes when it gives no position. @param message the SyntaxError's */
function explainJsonFault(text: string, message: string): string {
  if (text.trim() === '') return 'The body is empty.'
  const [unexpected] = /^Unexpected (token '.'|end of JSON)/su.exec(message) ?? []
  if (unexpected !== undefined) return `The body is not valid JSON: ${unexpected}.`
  const [, found, position] = /^(.+?)(?: in JSON)? at position (\d+)/.exec(message) ?? []
  const place = position === undefined ? '' : `: ${found} at ${placeIn(text, Number(position))}`
  return `The body is not valid JSON${place}.`
}

function placeIn(text: string, at: number): string {
  const lineStart = text.lastIndexOf('\n', at - 1) + 1
  const line = text.slice(0, lineStart).split('\n').length
  return `line ${line}, column ${at - lineStart + 1}`
}

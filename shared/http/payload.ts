import { ApiError } from './errors.ts'

const resultLimit = 6 * 1024 * 1024

/** The share of a body in Lambda's 6 MB, where quotes and backslashes count twice; the rest is for ids and times. */
export const payloadLimit = 6_200_000

/** Bytes of text after which a page ends early: escaped, control characters grow sixfold, and Neon’s proxy carries 10 MiB. */
export const pageBytes = Math.floor((10 * 1024 * 1024) / 6.5)

/** JSON within JSON: a character takes at most three bytes, or is escaped and takes two. */
const maxBytesPerCharacter = 3

export function payloadBytes(body: string): number {
  return Buffer.byteLength(JSON.stringify(body))
}

/** @throws ApiError payload_too_large for a result that Lambda would answer with a 500 */
export function requireFitsLambda(result: { body?: string | undefined; isBase64Encoded?: boolean | undefined }): void {
  const { body = '', isBase64Encoded = false } = result
  const maxBytes = isBase64Encoded ? 1 : 6
  if (maxBytes * body.length < resultLimit - 100_000) return
  if (Buffer.byteLength(JSON.stringify(result)) > resultLimit)
    throw new ApiError(
      'payload_too_large',
      `The response would have more than ${resultLimit} bytes, which is the limit. Send or ask for less.`,
    )
}

/** Checks, before a change, the values that its response repeats: they may be longer than in the body, such as the number 1e20. @throws ApiError payload_too_large */
export function requireFitsResponse(repeated: unknown): void {
  const text = JSON.stringify(repeated)
  const bytes = maxBytesPerCharacter * text.length + 2 > payloadLimit ? payloadBytes(text) : 0
  if (bytes > payloadLimit)
    throw new ApiError(
      'payload_too_large',
      `The response would have ${bytes} bytes, where each quote, backslash and line break counts twice. The limit is ${payloadLimit} bytes.`,
    )
}

/** The first items, as many as fit into one response, but at least one. */
export function fitToResponse<T>(items: T[]): T[] {
  if (firstPastLimit(items, (text) => maxBytesPerCharacter * text.length) === -1) return items
  const count = firstPastLimit(items, payloadBytes)
  return count === -1 ? items : items.slice(0, Math.max(1, count))
}

function firstPastLimit(items: unknown[], bytesOf: (text: string) => number): number {
  let bytes = 0
  return items.findIndex((item) => {
    bytes += bytesOf(JSON.stringify(item))
    return bytes > payloadLimit
  })
}

import { ApiError } from './errors.ts'

/**
 * Lambda wraps a request, and a response, in JSON of its own of at most 6 MB: there every quote and backslash of a body counts
 * twice. Request bodies are limited to somewhat less, so that what is stored of them, with the ids and times that are added,
 * fits into one response.
 */
export const payloadLimit = 6_200_000

/**
 * Bytes of text in a database result after which a page ends early, though it has at least one item: a response must fit into
 * Lambda's 6 MB, and what leads to it into Neon's limit (64 MB) and the Lambda's memory. Escaped as JSON, control characters
 * take six times their size on the way.
 */
export const pageBytes = 4 * 1024 * 1024

export function payloadBytes(body: string): number {
  return Buffer.byteLength(JSON.stringify(body))
}

/** A number such as 1e20 is longer in the response than it was in the body. @throws ApiError payload_too_large */
export function requireFitsResponse(repeated: unknown): void {
  const bytes = payloadBytes(JSON.stringify(repeated))
  if (bytes > payloadLimit)
    throw new ApiError(
      'payload_too_large',
      `With numbers written out in full, the body has ${bytes} bytes, where each quote, backslash and line break counts twice. The limit is ${payloadLimit} bytes.`,
    )
}

/** The first of the items, as many as fit into one response, and at least one if there is one. */
export function fitToResponse<T>(items: T[]): T[] {
  let bytes = 0
  const count = items.findIndex((item) => {
    bytes += payloadBytes(JSON.stringify(item))
    return bytes > payloadLimit
  })
  return count === -1 ? items : items.slice(0, Math.max(1, count))
}

import { ApiError } from './errors.ts'

/**
 * Lambda takes a request, and gives its answer, inside JSON of its own of at most 6 MB: there every quote and backslash of a
 * body counts twice. Bodies that come in are leaseFence to somewhat less, so that what is stored of them, with the ids and times
 * that it gets, goes out again in one answer.
 */
export const payloadLimit = 6_200_000

/** Bytes of a body inside Lambda's JSON. */
export function payloadBytes(body: string): number {
  return Buffer.byteLength(JSON.stringify(body))
}

/**
 * For what the answer will repeat of a body: a number such as 1e20 takes more room written out than it took in the body.
 * @throws ApiError payload_too_large
 */
export function requireFitsResponse(repeated: unknown): void {
  const bytes = payloadBytes(JSON.stringify(repeated))
  if (bytes > payloadLimit)
    throw new ApiError(
      'payload_too_large',
      `With its numbers written out the body has ${bytes} bytes where quotes, backslashes and line breaks count twice; at most ${payloadLimit} are accepted.`,
    )
}

/** The first of the items, as many as one answer can carry, and at least one if there is one. */
export function fitToResponse<T>(items: T[]): T[] {
  let bytes = 0
  const count = items.findIndex((item) => {
    bytes += payloadBytes(JSON.stringify(item))
    return bytes > payloadLimit
  })
  return count === -1 ? items : items.slice(0, Math.max(1, count))
}

import { createHash } from 'node:crypto'
import { dimensions } from '../../../shared/embedding/vectors.ts'

/** A text that contains it is rejected. */
export const poison = 'POISON'

/** The vector of a text: a few components, so that it is short as SQL. */
export function vectorOf(text: string): Float32Array {
  const vector = new Float32Array(dimensions)
  const digest = createHash('sha256').update(text).digest()
  for (let i = 0; i < 16; i += 2) vector[digest.readUInt16BE(i) % dimensions]! += 1 + digest[i + 16]! / 64
  return vector
}

export interface Scripted {
  status: number
  headers?: Record<string, string>
  body: string
  /** White space after the body until the caller stops reading: byte by byte, or as fast as the caller reads. */
  tail?: 'drip' | 'flood'
}

const ok = (body: object): Scripted => ({ status: 200, body: JSON.stringify(body) })
const error = (status: number, message: string, headers: Record<string, string> = {}): Scripted => ({
  status,
  headers,
  body: JSON.stringify({ error: { message, type: 'invalid_request_error' } }),
})

function vectors(texts: string[], embedding: (text: string) => unknown = (text) => base64(vectorOf(text))) {
  return texts.map((text, index) => ({ object: 'embedding', index, embedding: embedding(text) }))
}

/** Every response that an embeddings call may get. */
export const ways = {
  ok: (texts: string[]) => ok({ data: vectors(texts), usage: { total_tokens: texts.length } }),
  reordered: (texts: string[]) => ok({ data: vectors(texts).toReversed() }),
  as_numbers: (texts: string[]) => ok({ data: vectors(texts, (text) => [...vectorOf(text)]) }),
  too_few: (texts: string[]) => ok({ data: vectors(texts).slice(1) }),
  too_many: (texts: string[]) => ok({ data: vectors([...texts, 'one more']) }),
  same_index_twice: (texts: string[]) => ok({ data: vectors(texts).flatMap((each) => [each, each]) }),
  zeros: (texts: string[]) => ok({ data: vectors(texts, () => base64(new Float32Array(dimensions))) }),
  tiny: (texts: string[]) => ok({ data: vectors(texts, () => base64(new Float32Array(dimensions).fill(1e-25))) }),
  not_finite: (texts: string[]) =>
    ok({ data: vectors(texts, () => base64(new Float32Array(dimensions).fill(Number.NaN))) }),
  long_vector: (texts: string[]) => ok({ data: vectors(texts, () => base64(new Float32Array(3072).fill(1))) }),
  cut_vector: (texts: string[]) => ok({ data: vectors(texts, (text) => base64(vectorOf(text)).slice(0, -3)) }),
  strings: (texts: string[]) => ok({ data: vectors(texts, (text) => [...vectorOf(text)].map(String)) }),
  no_data: () => ok({ object: 'list' }),
  no_json: (): Scripted => ({ status: 200, body: '<html>Welcome</html>' }),
  too_many_requests: () => error(429, 'Rate limit reached'),
  retry_after: () => error(429, 'Rate limit reached', { 'retry-after': '40' }),
  retry_in_an_hour: () => error(429, 'Rate limit reached', { 'retry-after': '3600' }),
  server_error: () => error(500, 'The server had an error'),
  unavailable_retry_after: () => error(503, 'Overloaded', { 'retry-after': '7' }),
  gateway_timeout: (): Scripted => ({ status: 504, body: '<html>504</html>' }),
  unauthorized: () => error(401, 'Incorrect API key provided'),
  forbidden: () => error(403, 'Your account is not active'),
  no_such_model: () => error(404, 'The model does not exist'),
  rejected: () => error(400, 'This text is not acceptable.'),
} satisfies Record<string, (texts: string[]) => Scripted>

export type Way = keyof typeof ways

/** The response of that way, but a text with poison is always rejected where it would be embedded. */
export function responseTo(texts: string[], way: Way): Scripted {
  const isEmbedded = way === 'ok' || way === 'reordered' || way === 'as_numbers'
  return ways[isEmbedded && texts.some((text) => text.includes(poison)) ? 'rejected' : way](texts)
}

function base64(vector: Float32Array): string {
  return Buffer.from(vector.buffer).toString('base64')
}

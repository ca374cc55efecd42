import * as v from 'valibot'
import { parseBounded } from '../http/input/json-levels.ts'
import { EmbeddingError } from './embedder.ts'
import { dimensions, normalize, vectorFault } from './vectors.ts'

const responseBody = v.object({
  data: v.array(
    v.object({
      index: v.number(),
      embedding: v.union([v.string(), v.custom<number[]>((value) => Array.isArray(value))]),
    }),
  ),
  usage: v.optional(v.object({ total_tokens: v.optional(v.number()) })),
})

const maxVectorBytes = 100_000
const maxEnvelopeBytes = 100_000

export type Body = v.InferOutput<typeof responseBody>

/** @param count of the texts that were sent @throws EmbeddingError unavailable: cut off, too long, not JSON, or of another shape */
export async function bodyOf(response: Response, count: number): Promise<Body> {
  const maxBytes = maxEnvelopeBytes + count * maxVectorBytes
  const { status } = response
  try {
    const text = await readBounded(response, maxBytes)
    if (text === undefined) throw invalid(`more than ${maxBytes} bytes for ${count} texts`)
    const result = v.safeParse(responseBody, parseBounded(text))
    if (!result.success) throw invalid('it has another shape')
    return result.output
  } catch (cause) {
    if (cause instanceof EmbeddingError) throw cause
    const message = 'The response of the embedding provider was cut off or is not JSON'
    throw new EmbeddingError('unavailable', message, { status, cause })
  }
}

/** The model's number of dimensions, if all vectors have the same and it is more than 1536. */
export function tooManyDimensions({ data }: Body): number | undefined {
  const lengths = new Set(data.map(({ embedding }) => lengthOf(embedding)))
  const [length] = lengths
  return lengths.size === 1 && length && Number.isInteger(length) && length > dimensions ? length : undefined
}

function lengthOf(embedding: string | number[]): number {
  return typeof embedding === 'string'
    ? Buffer.byteLength(embedding, 'base64') / Float32Array.BYTES_PER_ELEMENT
    : embedding.length
}

/** Returns normalized vectors in the order of `index`; zeros fill up short ones, which changes no cosine. @throws EmbeddingError unavailable: missing, extra or invalid vectors */
export function vectorsOf(
  { data, usage }: Body,
  count: number,
): { vectors: Float32Array[]; tokens: number | undefined } {
  const vectors = new Array<Float32Array | undefined>(count).fill(undefined)
  for (const { index, embedding } of data) {
    if (!Number.isInteger(index) || index < 0 || index >= count || vectors[index])
      throw invalid(`index ${index} for ${count} texts`)
    const numbers = filled(typeof embedding === 'string' ? fromBase64(embedding) : embedding)
    const fault = vectorFault(numbers)
    if (fault) throw invalid(`embedding ${index}: ${fault}`)
    vectors[index] = normalize(Float32Array.from(numbers))
  }
  if (vectors.includes(undefined)) throw invalid(`${data.length} vectors for ${count} texts`)
  return { vectors: vectors as Float32Array[], tokens: usage?.total_tokens }
}

function filled(numbers: ArrayLike<number>): ArrayLike<number> {
  const { length } = numbers
  if (length === 0 || length >= dimensions) return numbers
  return Array.from({ length: dimensions }, (_, i) => (i < length ? numbers[i]! : 0))
}

function invalid(why: string): EmbeddingError {
  return new EmbeddingError('unavailable', `The embedding provider sent an invalid response: ${why}`, { status: 200 })
}

function fromBase64(text: string): Float32Array {
  const bytes = Buffer.from(text, 'base64')
  if (bytes.length % 4 !== 0) throw invalid('a vector is cut short')
  return new Float32Array(new Uint8Array(bytes).buffer)
}

/** Reads the body as text; undefined past `maxBytes`, which closes the connection. */
export async function readBounded(response: Response, maxBytes: number): Promise<string | undefined> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > maxBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, bytes).toString()
}

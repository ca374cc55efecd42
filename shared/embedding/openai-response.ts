import * as v from 'valibot'
import { EmbeddingError } from './embedder.ts'
import { normalize, vectorFault } from './vectors.ts'

const answer = v.object({
  data: v.array(
    v.object({
      index: v.number(),
      embedding: v.union([v.string(), v.custom<number[]>((value) => Array.isArray(value))]),
    }),
  ),
  usage: v.optional(v.object({ total_tokens: v.optional(v.number()) })),
})

/**
 * The vectors of a provider's answer by their `index`, each scaled to length 1, and the tokens billed.
 * @throws EmbeddingError busy: providers do answer 200 with too few, too many, reordered or zero vectors
 */
export function vectorsOf(body: unknown, count: number): { vectors: Float32Array[]; tokens: number | undefined } {
  const result = v.safeParse(answer, body)
  if (!result.success) throw nonsense('an answer of another shape')
  const { data, usage } = result.output
  const vectors = new Array<Float32Array | undefined>(count).fill(undefined)
  for (const { index, embedding } of data) {
    if (!Number.isInteger(index) || index < 0 || index >= count || vectors[index])
      throw nonsense(`index ${index} for ${count} texts`)
    const numbers = typeof embedding === 'string' ? fromBase64(embedding) : embedding
    const fault = vectorFault(numbers)
    if (fault) throw nonsense(`a vector that ${fault}`)
    vectors[index] = normalize(Float32Array.from(numbers))
  }
  if (vectors.includes(undefined)) throw nonsense(`${data.length} vectors for ${count} texts`)
  return { vectors: vectors as Float32Array[], tokens: usage?.total_tokens }
}

function nonsense(what: string): EmbeddingError {
  return new EmbeddingError('unavailable', `The embedding provider answered with ${what}`, { status: 200 })
}

/** Little-endian float32, as OpenAI sends it and as every machine that Node runs Lambdas on keeps it. */
function fromBase64(text: string): Float32Array {
  const bytes = Buffer.from(text, 'base64')
  if (bytes.length % 4 !== 0) throw nonsense('a vector cut short')
  return new Float32Array(new Uint8Array(bytes).buffer)
}

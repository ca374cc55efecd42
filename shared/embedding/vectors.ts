import { printHalfvec } from './halfvec.ts'

export const dimensions = 1536

/** Outside these bounds the float32 sums of a cosine become meaningless. */
const minNorm = 1e-6
const maxNorm = 1e6

/** Undefined if the vector is valid. */
export function vectorFault(vector: ArrayLike<number>): string | undefined {
  if (vector.length !== dimensions) return `must have exactly ${dimensions} numbers, not ${vector.length}`
  let squares = 0
  for (let i = 0; i < dimensions; i++) {
    const number = vector[i]
    if (typeof number !== 'number' || !Number.isFinite(Math.fround(number)))
      return `Element ${i} is not a finite 32-bit float`
    squares += number * number
  }
  const norm = Math.sqrt(squares)
  return norm < minNorm || norm > maxNorm ? 'norm must be between 1e-6 and 1e6' : undefined
}

export function normalize(vector: Float32Array): Float32Array {
  let squares = 0
  for (const number of vector) squares += number * number
  const norm = Math.sqrt(squares)
  return vector.map((number) => number / norm)
}

/**
 * For a `halfvec(1536)` and a `smallint`: each number is its half times 2^exponent. The exponent puts the largest magnitude into
 * [16384, 32768), which cosine does not see: it uses the whole range of halves, and most of them are then short integers.
 *
 * Kept are 11 significant bits: a number comes back within 2^-11 (0.05 %) of itself or, if that is more, within 2^-39 of the
 * largest magnitude. That is the relative bound down to 2^-28 of the largest; what is below 2^-40 of it comes back as 0. Each
 * number is rounded once, from the nearest float32.
 * @param vector valid: without a `vectorFault`
 */
export function toStored(vector: ArrayLike<number>): { embedding: string; exponent: number } {
  // Its loops are not functions of their own: inlined into this one, V8 would be slow to optimize them.
  let largest = 0
  for (let i = 0; i < dimensions; i++) {
    const magnitude = Math.abs(vector[i]!)
    if (magnitude > largest) largest = magnitude
  }
  float[0] = largest
  const exponent = (floatBits[0]! >>> 23) - floatBias - 14
  const scale = 2 ** -exponent
  for (let i = 0; i < dimensions; i++) halves[i] = Math.fround(vector[i]!) * scale
  return { embedding: printHalfvec(halfBits), exponent }
}

/** The inverse of `toStored`, for pgvector's own text of a `halfvec` too. */
export function fromStored(embedding: string, exponent: number): Float32Array {
  halves.set(JSON.parse(embedding))
  const scale = 2 ** exponent
  const vector = new Float32Array(dimensions)
  for (let i = 0; i < dimensions; i++) vector[i] = halves[i]! * scale
  return vector
}

/** Math.log2 may round up to the next integer. */
const float = new Float32Array(1)
const floatBits = new Uint32Array(float.buffer)
const floatBias = 127
const halves = new Float16Array(dimensions)
const halfBits = new Uint16Array(halves.buffer)

const bytesOfVector = dimensions * Float32Array.BYTES_PER_ELEMENT
/** Without padding, for the bytes are a multiple of three. */
export const base64Length = (bytesOfVector / 3) * 4

/** Little-endian float32, as Lambda's processors store them. */
export function toBase64(vector: Float32Array): string {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64')
}

/** The inverse of `toBase64`; any number may be in it, so `vectorFault` is still to be asked. */
export function fromBase64(text: string): { vector: Float32Array } | { fault: string } {
  if (text.length !== base64Length)
    return { fault: `must have exactly ${base64Length} characters of base64, not ${text.length}` }
  const vector = new Float32Array(dimensions)
  Buffer.from(vector.buffer).write(text, 'base64')
  // Node skips what is not base64 and accepts the URL-safe alphabet.
  return toBase64(vector) === text ? { vector } : { fault: 'must be base64 with the characters A–Z, a–z, 0–9, + and /' }
}

import { printHalfvec } from './halfvec.ts'

export const dimensions = 1536

/** Bounds within which pgvector's float32 sums of a cosine are accurate. */
const minNorm = 1e-6
const maxNorm = 1e6

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
 * A `halfvec(1536)` and an exponent: each number is its half times 2^exponent, which scales the largest half to [16384, 32768). A
 * number keeps 11 significant bits (0.05 %) down to 2^-28 of the largest magnitude; below 2^-40 of it, it becomes 0.
 * @param vector without a `vectorFault`
 */
export function toStored(vector: ArrayLike<number>): { embedding: string; exponent: number } {
  let largest = 0
  for (let i = 0; i < dimensions; i++) {
    const magnitude = Math.abs(vector[i]!)
    if (magnitude > largest) largest = magnitude
  }
  // Rounded first: one that rounds up to a power of two has the next exponent, which it would get when it is stored again.
  float[0] = largest
  const finer = 2 ** (floatExponent() - 14)
  float[0] = Math.f16round(float[0]! / finer) * finer
  const exponent = floatExponent() - 14
  const scale = 2 ** -exponent
  for (let i = 0; i < dimensions; i++) halves[i] = Math.fround(vector[i]!) * scale
  return { embedding: printHalfvec(halfBits), exponent }
}

/** The inverse of `toStored`; also reads pgvector's own text. */
export function fromStored(embedding: string, exponent: number): Float32Array {
  halves.set(JSON.parse(embedding))
  const scale = 2 ** exponent
  const vector = new Float32Array(dimensions)
  for (let i = 0; i < dimensions; i++) vector[i] = halves[i]! * scale
  return vector
}

/** The exponent is read from the bits: Math.log2 may round up to the next integer. */
const float = new Float32Array(1)
const floatBits = new Uint32Array(float.buffer)
const floatExponent = () => (floatBits[0]! >>> 23) - 127
const halves = new Float16Array(dimensions)
const halfBits = new Uint16Array(halves.buffer)

const bytesOfVector = dimensions * Float32Array.BYTES_PER_ELEMENT
export const base64Length = (bytesOfVector / 3) * 4

export function toBase64(vector: Float32Array): string {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64')
}

/** The inverse of `toBase64`; the vector may still have a `vectorFault`. */
export function fromBase64(text: string): { vector: Float32Array } | { fault: string } {
  if (text.length !== base64Length)
    return { fault: `must have exactly ${base64Length} characters of base64, not ${text.length}` }
  const vector = new Float32Array(dimensions)
  Buffer.from(vector.buffer).write(text, 'base64')
  // Node ignores characters that are not base64.
  return toBase64(vector) === text ? { vector } : { fault: 'must be base64 with the characters A–Z, a–z, 0–9, + and /' }
}

import { printHalfvec } from './halfvec.ts'
import { dimensions } from './vectors.ts'

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

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
  for (let i = 0; i < vector.length; i++) squares += vector[i]! * vector[i]!
  const norm = Math.sqrt(squares)
  const unit = new Float32Array(vector.length)
  for (let i = 0; i < unit.length; i++) unit[i] = vector[i]! / norm
  return unit
}

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

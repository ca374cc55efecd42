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

/** pgvector's text form. Nine significant digits distinguish any two 32-bit floats, so nothing is lost. */
export function toSql(vector: ArrayLike<number>): string {
  const numbers = Array.from(vector, (number) => {
    const short = String(number)
    return short.length <= 11 && !short.includes('e') ? short : Number(Math.fround(number).toPrecision(9)).toString()
  })
  return `[${numbers.join(',')}]`
}

export function fromSql(text: string): number[] {
  return JSON.parse(text)
}

import { rotate, signsOf } from '../../shared/embedding/sketch.ts'
import { dimensions } from '../../shared/embedding/vectors.ts'

/** A query as search compares it with sketches. */
export interface QuerySketch {
  /** Bits of the rotated query, highest first: each is the text of a `bit(1536)` and counts twice what the next one does. */
  planes: string[]
  /** By how much the estimated cosine falls for each unit of distance. */
  cosinePerUnit: number
}

export const planeCount = 3
const levels = 2 ** planeCount
/** Width of a level in standard deviations: near the optimum of a uniform quantizer with eight levels (Max 1960: 0.586). */
const levelWidth = 0.6
/** E|z| of a standard normal z: what the sign of a number keeps of it. */
const signAmplitude = Math.sqrt(2 / Math.PI)

/**
 * Standard deviation of an estimated cosine about the true one: 0.75 / √1536 (Gao & Long 2024, theorem 3.2) for the sketch's
 * single bit, and a little for the query's three.
 */
export const estimateDeviation = 0.0203

/**
 * The query keeps three bits of each number where a sketch keeps one, so that the estimate errs a third less than by the Hamming
 * distance of two sketches (RaBitQ's asymmetric estimator, Gao & Long 2024, with hand-sized integers: what Postgres can count).
 * The distance is Σ 2^k · Hamming distance to plane k; the estimated cosine falls with it, by `cosinePerUnit`.
 */
export function querySketch(query: ArrayLike<number>): QuerySketch {
  const rotated = rotate(query)
  let squares = 0
  for (const number of rotated) squares += number * number
  const width = levelWidth * Math.sqrt(squares / dimensions)
  const levelOf = rotated.map((number) => Math.min(levels - 1, Math.max(0, Math.floor(number / width + levels / 2))))
  let product = 0
  for (let i = 0; i < dimensions; i++) product += (2 * levelOf[i]! - (levels - 1)) * rotated[i]!
  const planes = Array.from({ length: planeCount }, (_, k) =>
    signsOf(levelOf.map((level) => level & (1 << (planeCount - 1 - k)))),
  )
  const cosinePerInnerProduct = Math.sqrt(squares) / (signAmplitude * Math.sqrt(dimensions) * product)
  return { planes, cosinePerUnit: 2 * cosinePerInnerProduct }
}

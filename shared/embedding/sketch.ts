import { dimensions } from './vectors.ts'

const rounds = 2
const blockSize = 128

export const sketchBytes = dimensions / 8

/**
 * Signs of the rotated vector R v: about 1536 θ/π bits of two vectors at an angle θ differ (Charikar 2002; RaBitQ, Gao & Long 2024).
 * R flips signs at random and applies a Hadamard transform (Ailon & Chazelle 2006) of order 12 × 128, twice, which mixes sparse vectors
 * too. R must never change: stored sketches are compared with new ones.
 */
export function sketchOf(vector: ArrayLike<number>): Uint8Array {
  return signsOf(rotate(vector))
}

/** R v, times 1536; the array is reused. */
export function rotate(vector: ArrayLike<number>): Float64Array {
  rotated.set(vector)
  for (let round = 0; round < rounds; round++) {
    transformBlocks(round)
    for (let at = 0; at < blockSize; at++) paley12(at)
  }
  return rotated
}

/** A bit for each number, 1 if it is positive; the first is the highest of its byte. Magnitudes below 2^-1000 must be 0. */
export function signsOf(numbers: Float64Array): Uint8Array {
  // The higher words have the signs; comparing numbers would cost branches that cannot be predicted.
  const words = new Int32Array(numbers.buffer, numbers.byteOffset, 2 * dimensions)
  const signs = new Uint8Array(sketchBytes)
  for (let i = 1, at = 0; at < sketchBytes; i += 16, at++) {
    let bits = 0
    for (let bit = 0; bit < 16; bit += 2) bits = (bits << 1) | isPositive(words[i + bit]!)
    signs[at] = bits
  }
  return signs
}

function isPositive(integer: number): number {
  return (-integer & ~integer) >>> 31
}

const rotated = new Float64Array(dimensions)

const flips = new Float64Array(rounds * dimensions)
for (let i = 0, state = 0x9e3779b9; i < flips.length; i++) {
  state ^= state << 13
  state ^= state >>> 17
  state ^= state << 5
  flips[i] = state < 0 ? -1 : 1
}

/** Flips signs, then applies the Hadamard matrix of order 128 to each block: one level of butterflies, then three times two. */
function transformBlocks(round: number): void {
  for (let i = 0; i < dimensions; i += 2) {
    const first = rotated[i]! * flips[round * dimensions + i]!
    const second = rotated[i + 1]! * flips[round * dimensions + i + 1]!
    rotated[i] = first + second
    rotated[i + 1] = first - second
  }
  for (let step = 2; step < blockSize; step *= 4)
    for (let from = 0; from < dimensions; from += 4 * step)
      for (let i = from; i < from + step; i++) {
        const sum = rotated[i]! + rotated[i + step]!
        const difference = rotated[i]! - rotated[i + step]!
        const nextSum = rotated[i + 2 * step]! + rotated[i + 3 * step]!
        const nextDifference = rotated[i + 2 * step]! - rotated[i + 3 * step]!
        rotated[i] = sum + nextSum
        rotated[i + step] = difference + nextDifference
        rotated[i + 2 * step] = sum - nextSum
        rotated[i + 3 * step] = difference - nextDifference
      }
}

/** Applies the Hadamard matrix of order 12 by Paley's second construction (1933), q = 5, to one number of each block. */
function paley12(at: number): void {
  const x0 = rotated[at]!
  const x1 = rotated[at + 128]!
  const x2 = rotated[at + 256]!
  const x3 = rotated[at + 384]!
  const x4 = rotated[at + 512]!
  const x5 = rotated[at + 640]!
  const x6 = rotated[at + 768]!
  const x7 = rotated[at + 896]!
  const x8 = rotated[at + 1024]!
  const x9 = rotated[at + 1152]!
  const x10 = rotated[at + 1280]!
  const x11 = rotated[at + 1408]!
  const a0 = x0 + x6
  const b0 = x0 - x6
  const a1 = x1 + x7
  const b1 = x1 - x7
  const a2 = x2 + x8
  const b2 = x2 - x8
  const a3 = x3 + x9
  const b3 = x3 - x9
  const a4 = x4 + x10
  const b4 = x4 - x10
  const a5 = x5 + x11
  const b5 = x5 - x11
  rotated[at] = a1 + a2 + a3 + a4 + a5 + b0
  rotated[at + 128] = a0 + (a2 + a5) - (a3 + a4) + b1
  rotated[at + 256] = a0 + (a3 + a1) - (a4 + a5) + b2
  rotated[at + 384] = a0 + (a4 + a2) - (a5 + a1) + b3
  rotated[at + 512] = a0 + (a5 + a3) - (a1 + a2) + b4
  rotated[at + 640] = a0 + (a1 + a4) - (a2 + a3) + b5
  rotated[at + 768] = b1 + b2 + b3 + b4 + b5 - a0
  rotated[at + 896] = b0 + (b2 + b5) - (b3 + b4) - a1
  rotated[at + 1024] = b0 + (b3 + b1) - (b4 + b5) - a2
  rotated[at + 1152] = b0 + (b4 + b2) - (b5 + b1) - a3
  rotated[at + 1280] = b0 + (b5 + b3) - (b1 + b2) - a4
  rotated[at + 1408] = b0 + (b1 + b4) - (b2 + b3) - a5
}

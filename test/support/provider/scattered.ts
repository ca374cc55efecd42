import { dimensions } from '../../../shared/embedding/vectors.ts'
import type { Random } from '../../simulation/random.ts'

/** Vectors without structure, and vectors near others. */
export function scatteredVectors(random: Random) {
  const noise = Float32Array.from({ length: 50_000 }, () => random.next() - 0.5)
  /** Another direction each time: the same numbers, shifted, have no more in common than others. */
  const scattered = () => {
    const start = random.below(noise.length - dimensions)
    return noise.slice(start, start + dimensions)
  }
  const around = (center: Float32Array, scale: number) => {
    const aside = scattered()
    return center.map((number, i) => number + scale * aside[i]!)
  }
  return { scattered, around }
}

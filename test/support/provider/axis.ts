import { dimensions } from '../../../shared/embedding/vectors.ts'

/** The unit vector along one axis: its cosine with itself is 1, with any other 0. */
export function axis(index: number): number[] {
  return Array.from({ length: dimensions }, (_, i) => (i === index ? 1 : 0))
}

import { dimensions } from '../../../shared/embedding/vectors.ts'
import { topicOf } from '../data/texts.ts'
import type { Vectors } from '../data/vectors.ts'

/** Texts whose scores differ by less are equally good. */
const tie = 1e-4

/** Compares every chunk of an agent, in float32 vectors and float64 sums. */
export function exactOf(vectors: Vectors, chunks: number) {
  const all = new Float32Array(chunks * dimensions)
  for (let chunk = 0; chunk < chunks; chunk++) all.set(vectors.of(chunk), chunk * dimensions)
  const known = new WeakMap<Float32Array, { scores: Float64Array; sorted: Float64Array }>()
  const compare = (query: Float32Array) => {
    const scores = scoresOf(all, query)
    const compared = { scores, sorted: Float64Array.from(scores).sort() }
    known.set(query, compared)
    return compared
  }
  return {
    /** The part of the places that hold a chunk as good as the true last one, within a tie. */
    recall(query: Float32Array, texts: string[], limit: number): number {
      const { scores, sorted } = known.get(query) ?? compare(query)
      const places = Math.min(limit, chunks)
      const worst = sorted[chunks - places]!
      const found = new Set(texts.map((text) => topicOf(text)))
      let hits = 0
      for (const chunk of found) if (scores[chunk]! >= worst - tie) hits++
      return Math.min(hits, places) / places
    },
  }
}

/** The product of each of the vectors, which lie one after the other, with a question's. */
export function scoresOf(all: Float32Array, query: Float32Array): Float64Array {
  const scores = new Float64Array(all.length / dimensions)
  for (let chunk = 0; chunk < scores.length; chunk++) {
    let [a, b, c, d] = [0, 0, 0, 0]
    for (let i = 0, at = chunk * dimensions; i < dimensions; i += 4, at += 4) {
      a += all[at]! * query[i]!
      b += all[at + 1]! * query[i + 1]!
      c += all[at + 2]! * query[i + 2]!
      d += all[at + 3]! * query[i + 3]!
    }
    scores[chunk] = a + b + c + d
  }
  return scores
}

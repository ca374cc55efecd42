/** Interprets a question's cosines, which each model spreads differently. */
export interface Likeness {
  /** The cosine of a chunk that is unrelated to the question: the mean of all but the best. */
  unlike: number
  /** A chunk whose cosine is higher by this answers: eight deviations, or half the distance to 1 if that is more. */
  reach: number
}

/** The mean if there is no other chunk. */
const usualCosine = 0.15
const deviations = 8

/** @param cosines of the chunks that a question may find; -Infinity of others @param error the standard deviation of each cosine's error */
export function likenessFrom(cosines: ArrayLike<number>, error = 0): Likeness {
  let sum = 0
  let squares = 0
  let best = -Infinity
  let count = 0
  for (let i = 0; i < cosines.length; i++) {
    const cosine = cosines[i]!
    if (cosine === -Infinity) continue
    count++
    sum += cosine
    squares += cosine * cosine
    if (cosine > best) best = cosine
  }
  const others = count - 1
  const unlike = others > 0 ? (sum - best) / others : usualCosine
  const variance = others > 0 ? (squares - best * best) / others - unlike * unlike - error * error : 0
  return { unlike, reach: Math.max(deviations * Math.sqrt(Math.max(0, variance)), (1 - unlike) / 2, 1e-6) }
}

/** 0 for a chunk that is unrelated to the question, and 1 for one that answers it. */
export function likenessOf(cosine: number, { unlike, reach }: Likeness): number {
  return Math.min(1, Math.max(0, (cosine - unlike) / reach))
}

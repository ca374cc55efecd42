import { createHash } from 'node:crypto'

/** The place of a question's right passage among its hits, 1 for the best; undefined when it is not among them. */
export type Rank = number | undefined

export interface Tally {
  questions: number
  /** The numbers of questions with the right passage first, and among the first five. */
  hit1: number
  hit5: number
  /** Mean reciprocal rank: 1 when each is first, 0 when none is found. */
  mrr: number
}

export function tally(ranks: readonly Rank[]): Tally {
  const within = (depth: number) => ranks.filter((rank) => rank !== undefined && rank <= depth).length
  const reciprocals = ranks.reduce<number>((sum, rank) => sum + (rank === undefined ? 0 : 1 / rank), 0)
  return { questions: ranks.length, hit1: within(1), hit5: within(5), mrr: reciprocals / ranks.length }
}

/**
 * The area under the ROC curve: how likely a positive scores higher than a negative, ties counted half (Mann and Whitney's U as a
 * share of all pairs). undefined without both.
 */
export function auc(positives: readonly number[], negatives: readonly number[]): number | undefined {
  if (positives.length === 0 || negatives.length === 0) return undefined
  let won = 0
  for (const positive of positives)
    for (const negative of negatives) won += positive > negative ? 1 : positive === negative ? 0.5 : 0
  return won / (positives.length * negatives.length)
}

export interface Shares {
  /** The share of positives at the threshold or above. */
  kept: number
  /** The share of negatives below the threshold. */
  rejected: number
}

/** undefined without both. */
export function sharesAt(
  threshold: number,
  positives: readonly number[],
  negatives: readonly number[],
): Shares | undefined {
  if (positives.length === 0 || negatives.length === 0) return undefined
  const share = (scores: readonly number[], isCounted: (score: number) => boolean) =>
    scores.filter(isCounted).length / scores.length
  return {
    kept: share(positives, (score) => score >= threshold),
    rejected: share(negatives, (score) => score < threshold),
  }
}

/** The expected calibration error of probabilities: in ten bins, how far the mean is from the share that came true (Naeini et al. 2015). */
export function calibrationError(predictions: readonly { probability: number; isTrue: boolean }[]): number | undefined {
  if (predictions.length === 0) return undefined
  const bins = Map.groupBy(predictions, ({ probability }) => Math.min(9, Math.floor(probability * 10)))
  const errors = [...bins.values()].map((bin) =>
    Math.abs(bin.reduce((sum, { probability, isTrue }) => sum + probability - (isTrue ? 1 : 0), 0)),
  )
  return errors.reduce((sum, error) => sum + error, 0) / predictions.length
}

/**
 * The threshold, in hundredths, that maximizes Youden's J = kept + rejected − 1; the middle one of those that are equally good.
 * undefined without both.
 */
export function bestThreshold(positives: readonly number[], negatives: readonly number[]): number | undefined {
  const judged = Array.from({ length: 101 }, (_, hundredths) => hundredths / 100).flatMap((threshold) => {
    const shares = sharesAt(threshold, positives, negatives)
    return shares ? [{ threshold, j: shares.kept + shares.rejected }] : []
  })
  const best = Math.max(...judged.map(({ j }) => j))
  const equal = judged.filter(({ j }) => j === best)
  return equal[Math.floor((equal.length - 1) / 2)]?.threshold
}

/** Weights are tuned on one half of the questions, and judged on the other. */
export type Half = 'tune' | 'report'

/** Depends only on the id, so that a question stays in its half when others are added. */
export function halfOf(id: string): Half {
  return createHash('sha256').update(id).digest()[0]! % 2 === 0 ? 'tune' : 'report'
}

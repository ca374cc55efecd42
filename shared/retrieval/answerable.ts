import type { Mode } from './schemas.ts'

/** Weights of a logistic regression: a constant, one for the best score, one for its lead over the next as a share of it. */
type Weights = readonly [constant: number, score: number, lead: number]

/**
 * Fitted to the tuning halves of test/evaluation and of public follow-up questions. Scores mean the same with every model, so these do too.
 */
const weights: Record<Mode, Weights> = {
  hybrid: [-2.1, 5.5, 3.3],
  keyword: [-2.9, 6.9, 1.6],
  semantic: [-2.1, 6.3, 0],
}

/** The probability from which the first hit more likely answers than not. */
export const probablyAnswered = 0.5

/** A model gets an empty answer below this probability, which loses less than one right first hit in twenty. */
export const minAnswerable = 0.15

/** The probability that the first hit answers the question. @param scores of the best hits: in `semantic` their likeness */
export function answerable(mode: Mode, [best = 0, next = 0]: readonly number[]): number {
  if (best <= 0) return 0
  const [constant, ofScore, ofLead] = weights[mode]
  const odds = Math.exp(constant + ofScore * best + (ofLead * (best - next)) / best)
  return Math.round((1000 * odds) / (1 + odds)) / 1000
}

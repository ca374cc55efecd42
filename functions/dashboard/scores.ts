import type { Mode } from '../../shared/retrieval/schemas.ts'

/** How a score was computed; `keyword` also where the question's vector was late. */
export type Scale = Mode

export type Strength = 'good' | 'possible' | 'weak'

type Levels = { possible: number; good: number }

/**
 * `possible` tells best whether the right passage is among the first five, for the questions of test/evaluation: of the answered ones
 * hybrid keeps 80 % and rejects 89 % of the others (keyword 79 and 84, semantic 70 and 70). From `good` on, the first passage is the right
 * one in nine of ten cases (semantic: 85 %).
 */
const levels: Record<Scale, Levels> = {
  hybrid: { possible: 0.33, good: 0.5 },
  keyword: { possible: 0.45, good: 0.55 },
  // Likeness, from 0, unrelated to the question, to 1, answering it.
  semantic: { possible: 0.4, good: 0.6 },
}

/** @param score of a search by meaning only: its likeness, since each model spreads cosines differently */
export function strengthOf(score: number, scale: Scale): Strength {
  const { possible, good } = levels[scale]
  if (score >= good) return 'good'
  return score >= possible ? 'possible' : 'weak'
}

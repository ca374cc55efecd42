import type { Coverage } from './coverage.ts'
import type { Mode } from './schemas.ts'

/** The evidence for the best hit. Scores are from 0 to 1; in `semantic` they are likenesses. */
interface Evidence {
  score: number
  /** The score of the hit after it. */
  next: number
  /** 0 if meaning was not compared. */
  likeness: number
  coverage: Coverage
  /** True if a word that the question asks a table or a price for is met nowhere, or if a price is asked and only passages behind the first have one. */
  isUnmet: boolean
}

/** The weights of a logistic regression. `strength` joins score and likeness; `lead` is the score's distance to the next hit's. */
interface Weights extends Record<'constant' | 'strength' | 'lead' | 'share' | 'concepts', number> {}

/**
 * Fitted with both embedded models to this repository's questions and to those of the shops to tune on. Others' questions count as
 * unanswerable, and so does each question of a shop whose answering document is taken away. Scores mean the same with every model, and so
 * do these weights.
 */
const weights: Record<Mode, Weights> = {
  hybrid: { constant: -2.9, strength: 4.4, lead: 4.4, share: 0.7, concepts: 0.3 },
  keyword: { constant: -2.6, strength: 3, lead: 4, share: 0.9, concepts: 0.5 },
  semantic: { constant: -2.6, strength: 5.2, lead: 1.4, share: 2.4, concepts: 0.4 },
}

/** An unmet question loses this from the logarithm of its odds: tuned on whole shops. */
const unmet = 4

/** The probability from which the first hit more likely answers than not. */
export const probablyAnswered = 0.5

/** A model gets an empty answer below this probability, which loses less than one right first hit in a hundred. */
const minAnswerable = 0.15

export const levels = ['found', 'uncertain', 'nothing'] as const
export type Level = (typeof levels)[number]

/** The level shown to people and models. @param hits their number @param answerable the probability that the first answers; null if unknown */
export function levelOf(hits: number, answerable: number | null): Level {
  if (hits === 0 || (answerable !== null && answerable < minAnswerable)) return 'nothing'
  return answerable === null || answerable < probablyAnswered ? 'uncertain' : 'found'
}

/** Advice for the model, by status: speech models repeat a call that found nothing. */
export const advice: Record<Level, string | undefined> = {
  found: undefined,
  uncertain:
    'These passages may not answer the question, and asking it again finds the same. If they do not, say that you do not know.',
  nothing:
    'The knowledge base has nothing on this, and asking it again finds nothing either. Say that you do not know instead of guessing.',
}

/** The probability that the first hit answers the question. An unmet word makes an answer uncertain, and never leaves the passages out. */
export function answerable(mode: Mode, { score, next, likeness, coverage, isUnmet }: Evidence): number {
  if (score <= 0) return 0
  const w = weights[mode]
  const strength = mode === 'semantic' ? likeness : 1 - (1 - likeness) * (1 - score)
  const fromScores = w.constant + w.strength * strength + w.lead * (score - next)
  const fromWords = w.share * coverage.share + w.concepts * coverage.concepts
  const logOdds = fromScores + fromWords
  const met = probabilityOf(logOdds)
  return isUnmet && met >= minAnswerable ? Math.max(minAnswerable, probabilityOf(logOdds - unmet)) : met
}

const probabilityOf = (logOdds: number) => Math.round(1000 / (1 + Math.exp(-logOdds))) / 1000

import type { Level } from './answerable.ts'

/** Advice for the model, by status: speech models repeat a call that found nothing. */
export const told: Record<Level, string | undefined> = {
  found: undefined,
  uncertain:
    'These passages may not answer the question, and asking it again finds the same. If they do not, say that you do not know.',
  nothing:
    'The knowledge base has nothing on this, and asking it again finds nothing either. Say that you do not know instead of guessing.',
}

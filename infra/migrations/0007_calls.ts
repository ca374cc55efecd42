import { inTransaction } from './steps.ts'

/** Facts about the call for its search. */
export const steps = [
  inTransaction(`
    alter type question
      add attribute earlier jsonb; -- words of the call's earlier turns: see \`with_earlier_turns\``),
]

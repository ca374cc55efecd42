import { inTransaction } from './steps.ts'

/** What a search knows of its call. */
export const steps = [
  inTransaction(`
    alter type question
      add attribute earlier jsonb, -- words of the call's turns before: see \`with_earlier_turns\`
      add attribute seen text[]; -- chunks that the call was given: their ids, or document#index`),
]

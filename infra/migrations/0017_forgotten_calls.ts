import { inTransaction } from './steps.ts'

/** Removes the memory of calls, which older local databases have. */
export const steps = [
  inTransaction(
    'drop function if exists with_remembered_turns(question), remember_turn(question, uuid[])',
    'drop table if exists call_turns',
    ...['call_id', 'turn', 'said', 'recalls', 'given', 'min_score', 'seen'].map(
      (name) => `alter type question drop attribute if exists ${name}`,
    ),
  ),
]

import { inTransaction } from './steps.ts'

/** Removes the memory of calls, which older local databases have; a search reads the agent's name, whose words it need not find. */
export const steps = [
  inTransaction(
    'drop function if exists with_remembered_turns(question), remember_turn(question, uuid[])',
    'drop table if exists call_turns',
    'grant select (name) on agents to cuecard_search, cuecard_mcp, cuecard_platforms',
    ...['call_id', 'turn', 'said', 'recalls', 'given', 'min_score', 'seen'].map(
      (name) => `alter type question drop attribute if exists ${name}`,
    ),
  ),
]

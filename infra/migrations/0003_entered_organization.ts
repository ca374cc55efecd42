import { inTransaction } from './steps.ts'

/**
 * The type of a parameter that has the rest of its transaction work for an organization. Sequential scans are off for it: it reads a
 * small part of each table, which old statistics hide from the planner.
 */
export const steps = [
  inTransaction(`
    create domain entered_organization as uuid check (num_nulls(
      set_config('cuecard.organization_id', value::text, true), set_config('enable_seqscan', 'off', true)) = 0)`),
]

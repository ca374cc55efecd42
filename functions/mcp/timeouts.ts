import { timeouts as ofSearch, type Timeouts } from '../../shared/retrieval/timeouts.ts'

/** The time limits of a search, shortened for clients that stop waiting after 5 seconds. */
export const timeouts: Timeouts = { ...ofSearch, databaseSeconds: 4, graceMilliseconds: 1_000 }

import { timeouts as ofSearch, type Timeouts } from '../../shared/retrieval/timeouts.ts'

/** As in a search, but so that even a late answer comes before a client stops waiting: some do after 5 seconds. */
export const timeouts: Timeouts = { ...ofSearch, databaseSeconds: 4, graceMilliseconds: 1_000 }

/** Time limits of the parts of a search: together well under the Lambda's timeout, so that a 503 is still ours. */
export const timeouts = {
  /** Of a search, unless its caller sets another: a caller is waiting on the phone. */
  deadlineMilliseconds: 3_000,
  minDeadlineMilliseconds: 50,
  maxDeadlineMilliseconds: 10_000,
  /** Of a prefetch: nobody waits for it. */
  prefetchMilliseconds: 3_000,
  /** A provider that does not answer in this time has timed out. Longer than all but the slowest calls of one that works. */
  patienceSeconds: 2,
  /** Of each round trip to the database, or less where a deadline comes earlier. The first, for the key, has no deadline. */
  databaseSeconds: 5,
  /** Past the deadline, for a round trip without which there is nothing to answer: a late answer is better than a 503. */
  graceMilliseconds: 3_000,
}
export type Timeouts = typeof timeouts

/** Time limits of the parts of a search: together well under the Lambda's timeout, so that a 503 comes from us. */
export const timeouts = {
  deadlineMilliseconds: 3_000,
  minDeadlineMilliseconds: 50,
  maxDeadlineMilliseconds: 10_000,
  prefetchMilliseconds: 3_000,
  /** A provider that does not answer in this time has timed out. Only the slowest calls of a working one take longer. */
  patienceSeconds: 2,
  /** The limit of each round trip to the database, if no deadline comes earlier. The first, for the key, has none. */
  databaseSeconds: 5,
  /** The only round trip may exceed the deadline by this much: a late answer is better than a 503. */
  graceMilliseconds: 3_000,
}
export type Timeouts = typeof timeouts

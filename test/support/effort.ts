/** Whether this is `npm run test:long`, which explores for hours. */
export const isLong = process.env.TEST_LONG === '1'

/** Whether this is `npm run test:thorough`, which CI runs: more random cases and larger loads than `npm test`. */
export const isThorough = isLong || process.env.TEST_THOROUGH === '1'

/** Test files that only the thorough run plays: they measure ratios of time, which takes long and wants a quiet machine. */
export const thoroughOnly = isThorough ? [] : ['pipeline/chunker-time.test.ts']

/** Whether the tests run on a PostgreSQL server, where statements truly run at the same time. */
export const isOnServer = process.env.DATABASE_URL !== undefined

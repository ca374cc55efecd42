/** Whether this is `npm run test:long`, which explores further and takes its time. */
export const isLong = process.env.TEST_LONG === '1'

/** Whether the tests run on a PostgreSQL server, where statements truly run at the same time. */
export const isOnServer = process.env.DATABASE_URL !== undefined

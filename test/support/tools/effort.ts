/** Whether this is `npm run test:nightly`, or a round of it: more random cases and larger loads than in `npm test`. */
export const isThorough = process.env.TEST_THOROUGH === '1'

/** Whether the tests run on a PostgreSQL server, where statements truly run at the same time. */
export const isOnServer = process.env.DATABASE_URL !== undefined

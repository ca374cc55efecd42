/** True in `npm run test:nightly` and its rounds: more random cases and larger loads than in `npm test`. */
export const isThorough = process.env.TEST_THOROUGH === '1'

/** True if the tests run on a PostgreSQL server, where statements run concurrently. */
export const isOnServer = process.env.DATABASE_URL !== undefined

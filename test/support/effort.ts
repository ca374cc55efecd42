/** Whether this is `npm run test:long`, which explores for hours. */
export const isLong = process.env.TEST_LONG === '1'

/** Whether this is `npm run test:thorough`, which CI runs: more random cases and larger loads than `npm test`. */
export const isThorough = isLong || process.env.TEST_THOROUGH === '1'

/** Whether the tests run on a PostgreSQL server, where statements truly run at the same time. */
export const isOnServer = process.env.DATABASE_URL !== undefined

/**
 * Test files that only the thorough run plays. One measures ratios of time, which takes long and wants a quiet machine; the other
 * fills the embedded database with more vectors than it takes in quickly, and so is played on a server too.
 */
export const thoroughOnly = isThorough
  ? []
  : ['pipeline/chunker-time.test.ts', ...(isOnServer ? [] : ['database/nearest-chunks.test.ts'])]

/** Test files that take minutes, for `npm run test:faults` alone, which kills and disturbs whole stands. */
export const faultsOnly =
  process.env.TEST_FAULTS === '1'
    ? []
    : ['kills', 'storms', 'disk-full', 'clock-jumps'].map((name) => `faults/${name}.test.ts`)

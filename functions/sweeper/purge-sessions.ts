import { sql } from 'kysely'
import type { Database } from '../../shared/database/database.ts'
import { windowSeconds } from '../../shared/organizations/sessions.ts'
import { inBatches } from './purging.ts'

const rowsPerBatch = 1000
const maxMilliseconds = 3000

/** Sessions of the dashboard that have ended. */
export async function purgeSessions(db: Database): Promise<number> {
  return await inBatches({ rowsPerBatch, maxMilliseconds }, () =>
    db
      .deleteFrom('sessions')
      .where('token_hash', 'in', (from) =>
        from
          .selectFrom('sessions')
          .select('token_hash')
          .where('expires_at', '<', sql<Date>`now()`)
          .orderBy('expires_at')
          .limit(rowsPerBatch),
      )
      .executeTakeFirstOrThrow(),
  )
}

/** Addresses from which somebody tried to sign in, once their window is over: nobody is remembered for longer. */
export async function purgeSignInAttempts(db: Database): Promise<number> {
  const windowAgo = sql<Date>`now() - make_interval(secs => ${windowSeconds})`
  return await inBatches({ rowsPerBatch, maxMilliseconds }, () =>
    db
      .deleteFrom('sign_in_attempts')
      .where('source', 'in', (from) =>
        from
          .selectFrom('sign_in_attempts')
          .select('source')
          .where('since', '<', windowAgo)
          .orderBy('since')
          .limit(rowsPerBatch),
      )
      // Checked again: a new window may have begun.
      .where('since', '<', windowAgo)
      .executeTakeFirstOrThrow(),
  )
}

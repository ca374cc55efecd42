import { sql } from 'kysely'
import type { Database } from '../../shared/database/database.ts'

/** Makes all unfinished work due: the process that held the leases and the messages in memory has ended. */
export async function releaseWork(db: Database): Promise<void> {
  await db.batch({
    // Not now(): the next transaction may have the same time.
    processing: sql`update documents set lease_expires_at = now() - interval '1 second'
      where managed_by = 'service' and status = 'processing'`,
    pending: sql`update documents set next_attempt_at = null, resend_at = now()
      where managed_by = 'service' and status = 'pending'`,
  })
}

import { sql } from 'kysely'
import type { Database } from '../../shared/database/database.ts'
import { isManagedByService } from '../../shared/documents/transitions.ts'

/** Makes all unfinished work due: the process that held the leases and the messages in memory has ended. */
export async function releaseWork(db: Database): Promise<void> {
  await db.batch({
    processing: db
      .updateTable('documents as d')
      // Not now(): the next transaction may have the same time.
      .set({ lease_expires_at: sql<Date>`now() - interval '1 second'` })
      .where(isManagedByService)
      .where('d.status', '=', 'processing'),
    pending: db
      .updateTable('documents as d')
      .set({ next_attempt_at: null, resend_at: sql<Date>`now()` })
      .where(isManagedByService)
      .where('d.status', '=', 'pending'),
  })
}

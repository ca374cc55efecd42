import { sql } from 'kysely'
import type { Database } from '../database/database.ts'
import { describeError, log } from '../log.ts'
import { idsOf, type Sender, sendOrLog, type WorkMessage } from '../queue.ts'

/** Seconds after which a message that has brought no worker is taken for lost. The column's default keeps to the same number. */
export const lostAfterSeconds = 120

/**
 * Sends after the commit that made the work. A failure is not the caller's trouble: the document is then due at the next
 * sweep.
 */
export async function sendOrSweep(db: Database, queue: Sender, work: WorkMessage, delaySeconds = 0): Promise<void> {
  if (!(await sendOrLog(queue, work, delaySeconds))) await leaveToSweeper(db, work)
}

/**
 * Has the next sweep after the document is due send its message. Should this fail, the document is sent when its message
 * would have been taken for lost.
 */
export async function leaveToSweeper(db: Database, work: WorkMessage): Promise<void> {
  try {
    await sql`
      update documents set resend_at = now()
      where organization_id = ${work.organizationId} and id = ${work.documentId}
        and managed_by = 'service' and status = 'pending'`.execute(db)
  } catch (error) {
    log.warn('resend_not_scheduled', { ...idsOf(work), error: describeError(error) })
  }
}

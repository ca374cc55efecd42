import { sql } from 'kysely'
import type { Database } from '../database/database.ts'
import { describeError, log } from '../log.ts'
import { idsOf, type Sender, sendOrLog, type WorkMessage } from '../queue.ts'

/** Where a change of a document is stored, and where its message goes after the commit. */
export interface Outbox {
  db: Database
  /** None where it cannot be reached at all. */
  queue: Sender | undefined
}

/**
 * Sends after the commit that made the work. A failure does not concern the caller: the next sweep after the document is due
 * sends it.
 * @returns whether the message was sent
 */
export async function enqueue({ db, queue }: Outbox, work: WorkMessage, delaySeconds = 0): Promise<boolean> {
  const isSent = queue !== undefined && (await sendOrLog(queue, work, delaySeconds))
  if (!isSent) await leaveToSweeper(db, work)
  return isSent
}

/** Should this fail, the message is sent when it would have been taken for lost. */
async function leaveToSweeper(db: Database, work: WorkMessage): Promise<void> {
  try {
    await db
      .updateTable('documents')
      .set({ resend_at: sql<Date>`now()` })
      .where('organization_id', '=', work.organizationId)
      .where('id', '=', work.documentId)
      .where('managed_by', '=', 'service')
      .where('status', '=', 'pending')
      .execute()
  } catch (error) {
    log.warn('resend_not_scheduled', { ...idsOf(work), error: describeError(error) })
  }
}

import { sql } from 'kysely'
import type { Database } from '../database/database.ts'
import { describeError, log } from '../log.ts'
import { idsOf, type Sender, sendOrLog, type WorkMessage } from '../queue.ts'

export interface Outbox {
  db: Database
  /** Undefined where it cannot be reached at all. */
  queue: Sender | undefined
}

/** After the commit. A failed send is not the caller's concern: the sweeper sends the message. @returns whether it was sent */
export async function enqueue({ db, queue }: Outbox, work: WorkMessage, delaySeconds = 0): Promise<boolean> {
  const isSent = queue !== undefined && (await sendOrLog(queue, work, delaySeconds))
  if (!isSent) await leaveToSweeper(db, work)
  return isSent
}

/** If this fails too, the message is sent once it counts as lost. */
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

import { sql } from 'kysely'
import type { Database } from '../database/database.ts'
import { describeError, log } from '../log.ts'
import { idsOf, type Sender, sendOrLog, type WorkMessage } from '../queue.ts'

export interface Outbox {
  db: Database
  /** Undefined where there is no queue. */
  queue: Sender | undefined
}

/** Sends after the commit; the sweeper sends what fails here. @returns whether it was sent */
export async function enqueue({ db, queue }: Outbox, work: WorkMessage, delaySeconds = 0): Promise<boolean> {
  const isSent = queue !== undefined && (await sendOrLog(queue, work, delaySeconds))
  if (!isSent) await leaveToSweeper(db, work)
  return isSent
}

/** Should this fail too, the sweeper resends after two minutes. */
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

import { sql } from 'kysely'
import type { Database } from '../../database/database.ts'
import { idsOf, type Message, type Sender, sendOrLog, type WorkMessage } from '../../queue.ts'
import { describeError, log } from '../../telemetry/log.ts'

/** The database that stores work, and the queue that announces it. */
export interface Outbox<Work extends Message = WorkMessage> {
  db: Database
  /** Undefined where there is no queue. */
  queue: Sender<Work> | undefined
}

/** Sends after the commit; the sweeper resends a message that fails here. @returns true if it was sent */
export async function enqueue(outbox: Outbox, work: WorkMessage, delaySeconds = 0): Promise<boolean> {
  return (await enqueueAll(outbox, [work], delaySeconds)) === 1
}

/** Sends several documents of one organization, as `enqueue` sends one. @returns how many were sent */
export async function enqueueAll({ db, queue }: Outbox, works: WorkMessage[], delaySeconds = 0): Promise<number> {
  const isSent = await Promise.all(works.map((work) => queue !== undefined && sendOrLog(queue, work, delaySeconds)))
  const unsent = works.filter((_, i) => !isSent[i])
  if (unsent.length > 0) await leaveToSweeper(db, unsent)
  return works.length - unsent.length
}

/** If this fails too, the sweeper resends after two minutes. */
async function leaveToSweeper(db: Database, works: WorkMessage[]): Promise<void> {
  try {
    await db
      .updateTable('documents')
      .set({ resend_at: sql<Date>`now()` })
      .where('organization_id', '=', works[0]!.organizationId)
      .where('id', '=', sql<string>`any(${works.map(({ documentId }) => documentId)}::uuid[])`)
      .where('managed_by', '=', 'service')
      .where('status', '=', 'pending')
      .execute()
  } catch (error) {
    log.warn('resend_not_scheduled', { ...idsOf(works[0]!), documents: works.length, error: describeError(error) })
  }
}

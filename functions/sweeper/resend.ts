import { sql } from 'kysely'
import { semaphore } from '../../shared/concurrency/semaphore.ts'
import type { Database } from '../../shared/database/database.ts'
import { recordset } from '../../shared/database/recordset.ts'
import { processing } from '../../shared/documents/processing/guards.ts'
import { describeError, log } from '../../shared/telemetry/log.ts'
import type { Message } from '../../shared/work/message.ts'
import { type Sender, sendOrLog } from '../../shared/work/outbox.ts'
import { leaveToSweeper } from '../../shared/work/sweep.ts'
import type { LostDocument } from './lost.ts'

const sendsAtOnce = 20
const maxResendSecondsOfRetried = 300

/** Resends messages of one kind until time is up or the queue is down, and leaves the rest to the next sweep. @returns those that were sent */
export async function resend<Work extends Message>(
  db: Database,
  queue: Sender,
  lost: Work[],
  maySend: () => boolean,
): Promise<Work[]> {
  const sends = semaphore(sendsAtOnce)
  let failuresInRow = 0
  const isSent = await Promise.all(
    lost.map((work) =>
      sends.run(async () => {
        if (failuresInRow >= sendsAtOnce || !maySend()) return false
        const isTaken = await sendOrLog(queue, work)
        failuresInRow = isTaken ? 0 : failuresInRow + 1
        return isTaken
      }),
    ),
  )
  await leaveToSweeper(
    db,
    lost.filter((_, i) => !isSent[i]),
  )
  return lost.filter((_, i) => isSent[i])
}

/** The wait before the next message: as long again as the document has been pending, at most five minutes after a retry. A backlog is thus resent a few times. */
function secondsToResend({ pendingSeconds, retries }: LostDocument): number {
  const seconds = retries > 0 ? Math.min(pendingSeconds, maxResendSecondsOfRetried) : pendingSeconds
  return Math.max(processing.lostAfterSeconds, seconds)
}

/** Schedules the next messages of documents that were sent one, except of those that a worker or a request has changed since. */
export async function scheduleNext(db: Database, sent: LostDocument[]): Promise<void> {
  if (sent.length === 0) return
  const columns = { organizationId: 'uuid', id: 'uuid', acquired: 'timestamptz', seconds: 'int' } as const
  const rows = sent.map((document) => ({ ...document, seconds: secondsToResend(document) }))
  try {
    await sql`update documents d set resend_at = now() + make_interval(secs => sent.seconds)
      from ${recordset('sent', columns, rows)}
      where (d.organization_id, d.id, d.resend_at) = (sent."organizationId", sent.id, sent.acquired)
        and d.status = 'pending'`.execute(db)
  } catch (error) {
    log.error('resend_not_scheduled', { documents: sent.length, error: describeError(error) })
  }
}

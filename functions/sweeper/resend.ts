import { sql } from 'kysely'
import { semaphore } from '../../shared/concurrency/semaphore.ts'
import type { Database } from '../../shared/database/database.ts'
import { recordset } from '../../shared/database/recordset.ts'
import { awaitsText, isDue, processing } from '../../shared/documents/processing/guards.ts'
import { type Sender, sendOrLog, type WorkMessage } from '../../shared/queue.ts'
import { describeError, log } from '../../shared/telemetry/log.ts'
import { maxPerSweep } from './limits.ts'
import { acquireLost } from './lost.ts'

const sendsAtOnce = 20
const maxResendSecondsOfRetried = 300

export interface Lost extends WorkMessage {
  /** `resend_at` to the microsecond: shows whether the row has changed since. */
  acquired: string
  pendingSeconds: number
  retries: number
}

export const acquireDocuments = acquireLost<Lost>('documents', 'resend_at', isDue, {
  ...{ seconds: processing.lostAfterSeconds, max: maxPerSweep },
  columns: sql`d.id as "documentId", d.request_id as "requestId", d.requested_by as "by", ${awaitsText} as "awaitsText",
    d.resend_at::text as acquired, extract(epoch from now() - d.pending_since)::int as "pendingSeconds", d.retry_count as retries`,
})

/** Resends until time is up or the queue is down. @returns for each document, true if it was sent */
export async function resendLost(
  db: Database,
  queue: Sender,
  documents: Lost[],
  maySend: () => boolean,
): Promise<boolean[]> {
  const sends = semaphore(sendsAtOnce)
  let failuresInRow = 0
  const isSent = await Promise.all(
    documents.map((document) =>
      sends.run(async () => {
        if (failuresInRow >= sendsAtOnce || !maySend()) return false
        const isTaken = await sendOrLog(queue, document)
        failuresInRow = isTaken ? 0 : failuresInRow + 1
        return isTaken
      }),
    ),
  )
  await scheduleResend(
    db,
    documents.map((document, i) => ({ ...document, seconds: isSent[i] ? secondsToResend(document) : 0 })),
  )
  return isSent
}

/** The wait before the next message: as long again as the document has been pending, at most five minutes after a retry. A backlog is thus resent a few times. */
function secondsToResend({ pendingSeconds, retries }: Lost): number {
  const seconds = retries > 0 ? Math.min(pendingSeconds, maxResendSecondsOfRetried) : pendingSeconds
  return Math.max(processing.lostAfterSeconds, seconds)
}

/** Schedules the next messages, except of documents that a worker or a request has changed since. */
async function scheduleResend(db: Database, documents: (Lost & { seconds: number })[]): Promise<void> {
  if (documents.length === 0) return
  const columns = { organizationId: 'uuid', documentId: 'uuid', acquired: 'timestamptz', seconds: 'int' } as const
  const tried = recordset('tried', columns, documents)
  try {
    await sql`update documents d set resend_at = now() + make_interval(secs => tried.seconds) from ${tried}
      where (d.organization_id, d.id, d.resend_at) = (tried."organizationId", tried."documentId", tried.acquired)
        and d.status = 'pending'`.execute(db)
  } catch (error) {
    log.error('resend_not_scheduled', { documents: documents.length, error: describeError(error) })
  }
}

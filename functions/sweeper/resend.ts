import { sql } from 'kysely'
import type { Database } from '../../shared/database/database.ts'
import { recordset } from '../../shared/database/recordset.ts'
import { awaitsText, isMessageLost } from '../../shared/documents/processing/guards.ts'
import { lostAfterSeconds } from '../../shared/documents/processing/transitions.ts'
import type { DocumentId, OrganizationId } from '../../shared/ids.ts'
import { describeError, log } from '../../shared/log.ts'
import { originOf, type Sender, sendOrLog, type WorkMessage } from '../../shared/queue.ts'
import { semaphore } from '../../shared/semaphore.ts'
import { maxPerSweep } from './limits.ts'

const sendsAtOnce = 20
const maxResendSecondsOfRetried = 300

export interface Lost {
  organization_id: string
  id: string
  /** `resend_at` to the microsecond: shows whether the row has changed since. */
  acquired: string
  pending_seconds: number
  retry_count: number
  request_id: string | null
  requested_by: string | null
  awaits_text: boolean
}

/** Acquires lost messages: organizations take turns, the longest due first. If this sweep dies before it sends, they are lost again. */
export function acquireLost() {
  return sql<Lost>`
    with lost as (
      select d.organization_id, d.id, d.resend_at,
        row_number() over (partition by d.organization_id order by d.resend_at) as turn
      from documents d where ${isMessageLost}
    ), chosen as (
      select d.organization_id, d.id from documents d
        -- Unless another sweep has acquired it since.
        join lost on (lost.organization_id, lost.id, lost.resend_at) = (d.organization_id, d.id, d.resend_at)
      where d.status = 'pending'
      order by lost.turn, lost.resend_at limit ${maxPerSweep}
      for update of d skip locked
    )
    update documents d set resend_at = now() + make_interval(secs => ${lostAfterSeconds})
    from chosen where (d.organization_id, d.id) = (chosen.organization_id, chosen.id)
    returning d.organization_id, d.id, d.retry_count, d.request_id, d.requested_by, ${awaitsText} as awaits_text,
      d.resend_at::text as acquired, extract(epoch from now() - d.pending_since)::int as pending_seconds`
}

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
        const isTaken = await sendOrLog(queue, toWork(document))
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
function secondsToResend({ pending_seconds, retry_count }: Lost): number {
  const seconds = retry_count > 0 ? Math.min(pending_seconds, maxResendSecondsOfRetried) : pending_seconds
  return Math.max(lostAfterSeconds, seconds)
}

/** Schedules the next messages, except of documents that a worker or a request has changed since. */
async function scheduleResend(db: Database, documents: (Lost & { seconds: number })[]): Promise<void> {
  if (documents.length === 0) return
  const columns = { organization_id: 'uuid', id: 'uuid', acquired: 'timestamptz', seconds: 'int' } as const
  const tried = recordset('tried', columns, documents)
  try {
    await sql`update documents d set resend_at = now() + make_interval(secs => tried.seconds) from ${tried}
      where (d.organization_id, d.id, d.resend_at) = (tried.organization_id, tried.id, tried.acquired)
        and d.status = 'pending'`.execute(db)
  } catch (error) {
    log.error('resend_not_scheduled', { documents: documents.length, error: describeError(error) })
  }
}

function toWork(lost: Lost): WorkMessage {
  return {
    organizationId: lost.organization_id as OrganizationId,
    documentId: lost.id as DocumentId,
    ...originOf(lost),
    awaitsText: lost.awaits_text,
  }
}

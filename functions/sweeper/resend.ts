import { sql } from 'kysely'
import { columnsOf } from '../../shared/database/columns.ts'
import type { Database } from '../../shared/database/database.ts'
import { recordset } from '../../shared/database/recordset.ts'
import { isMessageLost, lostAfterSeconds } from '../../shared/documents/transitions.ts'
import type { DocumentId, OrganizationId } from '../../shared/ids.ts'
import { describeError, log } from '../../shared/log.ts'
import { type Sender, sendOrLog, type WorkMessage } from '../../shared/queue.ts'
import { semaphore } from '../../shared/semaphore.ts'
import { maxPerSweep } from './limits.ts'

const sendsAtOnce = 20
const maxResendSecondsOfRetried = 300

const d = columnsOf('documents', 'd')

/** A document that has been pending so long, and its message to send. */
export interface Lost {
  organization_id: string
  id: string
  /** To the microsecond: shows whether the row is still as it was taken. */
  taken: string
  pending_seconds: number
  retry_count: number
  request_id: string | null
  requested_by: string | null
}

/**
 * Takes documents whose message seems lost. Organizations take turns; within one, what is due longest goes first. Should this
 * sweep die before it has sent their messages, those are lost again.
 */
export function takeLost(db: Database) {
  return db
    .with('lost', (db) =>
      db
        .selectFrom('documents as d')
        .select(['d.organization_id', 'd.id', 'd.resend_at'])
        .select((eb) =>
          eb.fn
            .agg<number>('row_number')
            .over((over) => over.partitionBy('d.organization_id').orderBy('d.resend_at'))
            .as('turn'),
        )
        .where(isMessageLost),
    )
    .with('chosen', (db) =>
      db
        .selectFrom('documents as d')
        .innerJoin('lost', (join) =>
          join
            .onRef('lost.organization_id', '=', 'd.organization_id')
            .onRef('lost.id', '=', 'd.id')
            // Unless another sweep has taken it since.
            .onRef('lost.resend_at', '=', 'd.resend_at'),
        )
        .select(['d.organization_id', 'd.id'])
        .where('d.status', '=', 'pending')
        .orderBy('lost.turn')
        .orderBy('lost.resend_at')
        .limit(maxPerSweep)
        .forUpdate('d')
        .skipLocked(),
    )
    .updateTable('documents as d')
    .from('chosen')
    .set({ resend_at: sql<Date>`now() + make_interval(secs => ${lostAfterSeconds})` })
    .whereRef('d.organization_id', '=', 'chosen.organization_id')
    .whereRef('d.id', '=', 'chosen.id')
    .returning(['d.organization_id', 'd.id', 'd.retry_count', 'd.request_id', 'd.requested_by'])
    .returning([
      sql<string>`${d.resend_at}::text`.as('taken'),
      sql<number>`extract(epoch from now() - ${d.pending_since})::int`.as('pending_seconds'),
    ])
}

/**
 * Sends in the order given and schedules the next time. Stops when the queue has proved dead (as many sends in a row have
 * failed as go at once) or time is up.
 * @returns of each whether its message was sent
 */
export async function resendLost(
  db: Database,
  queue: Sender,
  documents: Lost[],
  maySend: () => boolean,
): Promise<boolean[]> {
  const sends = semaphore(sendsAtOnce)
  let failuresInRow = 0
  const isSent = await Promise.all(
    documents.map(async (document) => {
      const release = await sends.acquire()
      try {
        if (failuresInRow >= sendsAtOnce || !maySend()) return false
        const isTaken = await sendOrLog(queue, toWork(document))
        failuresInRow = isTaken ? 0 : failuresInRow + 1
        return isTaken
      } finally {
        release()
      }
    }),
  )
  await scheduleResend(
    db,
    documents.map((document, i) => ({ ...document, seconds: isSent[i] ? secondsToResend(document) : 0 })),
  )
  return isSent
}

/**
 * Seconds after which a message that was sent is sent again: as long as the document has been waiting, so that a backlog that
 * merely waits in line is sent a handful of times in all, not every minute; at most five minutes where the provider made it wait.
 */
function secondsToResend({ pending_seconds, retry_count }: Lost): number {
  const seconds = retry_count > 0 ? Math.min(pending_seconds, maxResendSecondsOfRetried) : pending_seconds
  return Math.max(lostAfterSeconds, seconds)
}

/** Skips what a worker, or a request, has changed meanwhile. */
async function scheduleResend(db: Database, documents: (Lost & { seconds: number })[]): Promise<void> {
  if (documents.length === 0) return
  const columns = { organization_id: 'uuid', id: 'uuid', taken: 'timestamptz', seconds: 'int' } as const
  try {
    await db
      .updateTable('documents as d')
      .from(recordset('tried', columns, documents))
      .set((eb) => ({ resend_at: sql<Date>`now() + make_interval(secs => ${eb.ref('tried.seconds')})` }))
      .whereRef('d.organization_id', '=', 'tried.organization_id')
      .whereRef('d.id', '=', 'tried.id')
      .whereRef('d.resend_at', '=', 'tried.taken')
      .where('d.status', '=', 'pending')
      .execute()
  } catch (error) {
    log.error('resend_not_scheduled', { documents: documents.length, error: describeError(error) })
  }
}

function toWork({ organization_id, id, request_id, requested_by }: Lost): WorkMessage {
  return {
    organizationId: organization_id as OrganizationId,
    documentId: id as DocumentId,
    requestId: request_id ?? undefined,
    apiKeyId: requested_by ?? undefined,
  }
}

import { sql } from 'kysely'
import { columnsOf } from '../../shared/database/columns.ts'
import type { Database } from '../../shared/database/database.ts'
import { recordset } from '../../shared/database/recordset.ts'
import { awaitsText, isMessageLost, lostAfterSeconds } from '../../shared/documents/transitions.ts'
import type { DocumentId, OrganizationId } from '../../shared/ids.ts'
import { describeError, log } from '../../shared/log.ts'
import { type Sender, sendOrLog, type WorkMessage } from '../../shared/queue.ts'
import { semaphore } from '../../shared/semaphore.ts'
import { maxPerSweep } from './limits.ts'

const sendsAtOnce = 20
const maxResendSecondsOfRetried = 300

const d = columnsOf('documents', 'd')

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

/** Organizations take turns; within one, the longest due goes first. If this sweep dies before it sends, they are lost again. */
export function acquireLost(db: Database) {
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
            // Unless another sweep has acquired it since.
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
      awaitsText.as('awaits_text'),
      sql<string>`${d.resend_at}::text`.as('acquired'),
      sql<number>`extract(epoch from now() - ${d.pending_since})::int`.as('pending_seconds'),
    ])
}

/** Stops when time is up or the queue is down: as many sends in a row failed as run at once. @returns whether each was sent */
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
 * After as long as it has been pending, so that a waiting backlog is resent a handful of times, not every minute; after at most
 * five minutes where the provider caused the wait.
 */
function secondsToResend({ pending_seconds, retry_count }: Lost): number {
  const seconds = retry_count > 0 ? Math.min(pending_seconds, maxResendSecondsOfRetried) : pending_seconds
  return Math.max(lostAfterSeconds, seconds)
}

/** Skips what a worker or a request has changed since. */
async function scheduleResend(db: Database, documents: (Lost & { seconds: number })[]): Promise<void> {
  if (documents.length === 0) return
  const columns = { organization_id: 'uuid', id: 'uuid', acquired: 'timestamptz', seconds: 'int' } as const
  try {
    await db
      .updateTable('documents as d')
      .from(recordset('tried', columns, documents))
      .set((eb) => ({ resend_at: sql<Date>`now() + make_interval(secs => ${eb.ref('tried.seconds')})` }))
      .whereRef('d.organization_id', '=', 'tried.organization_id')
      .whereRef('d.id', '=', 'tried.id')
      .whereRef('d.resend_at', '=', 'tried.acquired')
      .where('d.status', '=', 'pending')
      .execute()
  } catch (error) {
    log.error('resend_not_scheduled', { documents: documents.length, error: describeError(error) })
  }
}

function toWork({ organization_id, id, request_id, requested_by, awaits_text }: Lost): WorkMessage {
  return {
    organizationId: organization_id as OrganizationId,
    documentId: id as DocumentId,
    requestId: request_id ?? undefined,
    apiKeyId: requested_by ?? undefined,
    awaitsText: awaits_text,
  }
}

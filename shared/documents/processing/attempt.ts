import { sql } from 'kysely'
import type { Database } from '../../database/database.ts'
import { recordset } from '../../database/recordset.ts'
import type { DocumentId, OrganizationId } from '../../ids.ts'
import { describeError, log } from '../../telemetry/log.ts'
import { report } from '../../telemetry/metrics.ts'
import { backoff } from '../../time/backoff.ts'
import { Unavailable } from '../../unavailable.ts'
import { idsOf, type Message, type Origin, originOf } from '../../work/message.ts'
import { enqueue, type Queue } from '../../work/outbox.ts'
import { type Failure, ownFaults } from '../contract/failures.ts'
import { isClaimable, isLeasedRevision, type Lease, leaseFence, processing } from './guards.ts'
import * as transitions from './transitions.ts'

export interface Worker {
  db: Database
  /** The queue that sends this Lambda its messages. */
  queue: Queue
  random?: () => number
}

export type Claimant = Omit<Lease, 'revision'>

/** A document that a worker has claimed: the lease fences all of the worker's writes. */
export interface Claim extends Lease {
  /** Deliveries of this revision that did not end properly, this one included. */
  attempt: number
  retries: number
  /** Claims of this revision, this one included. */
  tries: number
  origin: Origin
}

/** One delivery's work on a document that it has claimed. */
export interface Attempt<C extends Claim = Claim> extends Worker {
  claim: C
}

/** Claims documents of one organization, each for one claimant. The same token may claim again, and so renews its lease. */
export function claimDocuments(db: Database, claimants: Claimant[]) {
  const rows = claimants.map(({ documentId, leaseToken }) => ({ document_id: documentId, lease_token: leaseToken }))
  return db
    .updateTable('documents as d')
    .from(recordset('claimant', { document_id: 'uuid', lease_token: 'uuid' }, rows))
    .set(({ ref }) => transitions.claim(ref('claimant.lease_token')))
    .where('d.organization_id', '=', claimants[0]!.organizationId)
    .where(sql<boolean>`d.id = any(${claimants.map(({ documentId }) => documentId)}::uuid[])`)
    .whereRef('d.id', '=', 'claimant.document_id')
    .where(({ ref }) => isClaimable(ref('claimant.lease_token')))
    .returning(['d.organization_id', 'd.id', 'd.lease_token', 'd.revision'])
    .returning(['d.attempt', 'd.retry_count', 'd.tries', 'd.request_id', 'd.requested_by'])
}

export function toClaim(row: Awaited<ReturnType<ReturnType<typeof claimDocuments>['execute']>>[number]): Claim {
  return {
    organizationId: row.organization_id as OrganizationId,
    documentId: row.id as DocumentId,
    leaseToken: row.lease_token!,
    revision: row.revision,
    attempt: row.attempt,
    retries: row.retry_count,
    tries: row.tries,
    origin: originOf(row),
  }
}

/** Ends the attempt after an unexpected error. @returns the seconds after which to redeliver the message, if it is not done */
export async function settle(attempt: Attempt, error: unknown, exhausted: Failure): Promise<number | undefined> {
  if (error instanceof Unavailable) return void (await interrupt(attempt, error))
  return await countFailure(attempt, error, exhausted)
}

/** An outage is not the document's fault: no attempt is counted. @throws Unavailable if the database is still away */
async function interrupt(attempt: Attempt, error: Unavailable): Promise<void> {
  const { claim, random = Math.random } = attempt
  const seconds = backoff(claim.tries, undefined, random())
  const isDatabase = error.service === 'database'
  const reason = isDatabase ? ownFaults.noDatabase : ownFaults.noFile
  if (!(await retryLater(attempt, seconds, reason))) return
  if (!isDatabase) report({ DocumentsRetried: 1 })
  log.warn('document_interrupted', { ...logged(claim), error: describeError(error), seconds })
}

/** The same message brings the next attempt: it becomes a dead letter when the document ends in error. */
async function countFailure(attempt: Attempt, error: unknown, exhausted: Failure): Promise<number> {
  const { claim, random = Math.random } = attempt
  const seconds = backoff(claim.attempt, undefined, random())
  log.error('attempt_failed', { ...logged(claim), error: describeError(error) })
  if (claim.attempt >= processing.maxAttempts) await endInError(attempt, exhausted)
  else
    await releaseDocument(
      attempt,
      (counters) => transitions.requeue(seconds, counters, ownFaults.internalError),
      'attempt',
    )
  return seconds
}

/** Ends the document in error; search continues to serve the revision that it served. @param fault the document's fault, for the log */
export async function endInError(
  { db, claim }: Pick<Attempt, 'db' | 'claim'>,
  failure: Failure,
  fault?: string,
): Promise<void> {
  const { rows } = await processing.update(leaseFence(claim), transitions.fail(failure)).execute(db)
  if (rows.length === 0) return
  report({ DocumentsFailed: 1 })
  log.warn('document_failed', { ...logged(claim), code: failure.code, fault })
}

/**
 * Releases the lease and sends a message for the next attempt.
 * @param reason for the caller, why the document waits; null if it does not and only continues
 * @returns false, and nothing is sent, when the lease is lost
 */
export async function retryLater(
  attempt: Attempt,
  seconds: number,
  reason: string | null,
  counts?: Counted,
): Promise<boolean> {
  const released = await releaseDocument(attempt, (counters) => transitions.requeue(seconds, counters, reason), counts)
  if (released) await enqueue(attempt, workOf(attempt.claim), seconds)
  return released
}

type Counted = 'attempt' | 'retry'

/** Can be repeated after a lost response: it then finds its own counters on the row. @returns false when the lease is lost */
export async function releaseDocument(
  { db, claim }: Attempt,
  transition: (counters: { attempt: number; retry_count: number }) => transitions.Transition,
  counts?: Counted,
): Promise<boolean> {
  const attempt = claim.attempt - (counts === 'attempt' ? 0 : 1)
  const retry_count = claim.retries + (counts === 'retry' ? 1 : 0)
  const isLeasedOrReleased = sql`${isLeasedRevision(claim)} and (d.lease_token = ${claim.leaseToken}
    or d.status = 'pending' and d.attempt = ${attempt} and d.retry_count = ${retry_count} and d.tries = ${claim.tries})`
  const { rows } = await processing.update(isLeasedOrReleased, transition({ attempt, retry_count })).execute(db)
  return rows.length > 0
}

/** The message for another attempt. Its origin comes from the row, since the received message may be of an older revision. */
export function workOf({ organizationId, documentId, origin }: Claim): Message<'document'> {
  return { organizationId, kind: 'document', id: documentId, ...origin }
}

export function logged(claim: Claim) {
  return { ...idsOf(workOf(claim)), revision: claim.revision, attempt: claim.attempt }
}

import type { Database } from '../database/database.ts'
import type { Failure } from './failures.ts'
import * as transitions from './transitions.ts'

/** A document that a worker has claimed. */
export interface Claimed extends transitions.Lease {
  /** Deliveries of this revision that did not end properly, this one included. */
  attempt: number
  retries: number
  /** Claims of this revision, this one included. */
  tries: number
}

/** Search serves what it served before. False when the lease is lost. */
export async function fail(db: Database, claim: Claimed, failure: Failure): Promise<boolean> {
  const failed = await db
    .updateTable('documents as d')
    .set(transitions.fail(failure))
    .where(transitions.leaseFence(claim))
    .returning('d.id')
    .executeTakeFirst()
  return failed !== undefined
}

/**
 * Releases the lease; the document is due again after so many seconds. Repeated because its response was lost, it finds its own
 * counters on the row and returns true again: the message is yet to be sent.
 * @param reason for the caller, why the document waits; null if it does not and only continues
 * @param counts `attempt` after an internal error, `retry` if the provider was busy or down, neither if time ran out
 * @returns false when the lease is lost
 */
export async function requeue(
  db: Database,
  claim: Claimed,
  afterSeconds: number,
  reason: string | null,
  counts?: 'attempt' | 'retry',
): Promise<boolean> {
  const attempt = claim.attempt - (counts === 'attempt' ? 0 : 1)
  const retry_count = claim.retries + (counts === 'retry' ? 1 : 0)
  const counters = { attempt, retry_count }
  return await release(db, claim, transitions.requeue(afterSeconds, counters, reason), counters)
}

/** The sweeper's next message looks for the file again. @returns false when the lease is lost */
export async function awaitUpload(db: Database, claim: Claimed): Promise<boolean> {
  const counters = { attempt: claim.attempt - 1, retry_count: claim.retries }
  return await release(db, claim, transitions.awaitUpload(counters), counters)
}

/** As `requeue`, without an attempt or a retry, and without being late meanwhile. */
export async function postpone(db: Database, claim: Claimed, afterSeconds: number, reason: string): Promise<boolean> {
  const counters = { attempt: claim.attempt - 1, retry_count: claim.retries }
  return await release(db, claim, transitions.postpone(afterSeconds, counters, reason), counters)
}

async function release(
  db: Database,
  claim: Claimed,
  requeued: transitions.Transition,
  counters: { attempt: number; retry_count: number },
): Promise<boolean> {
  const { attempt, retry_count } = counters
  const released = await db
    .updateTable('documents as d')
    .set(requeued)
    .where(transitions.isLeasedRevision(claim))
    .where((eb) =>
      eb.or([
        eb('d.lease_token', '=', claim.leaseToken),
        eb.and({ 'd.status': 'pending', 'd.attempt': attempt, 'd.retry_count': retry_count, 'd.tries': claim.tries }),
      ]),
    )
    .returning('d.id')
    .executeTakeFirst()
  return released !== undefined
}

import { sql } from 'kysely'
import type { Database } from '../../shared/database/database.ts'
import { lostAfterSeconds } from '../../shared/documents/outbox.ts'
import { type Claim, leaseFence } from './claim.ts'

/**
 * Puts the claimed revision into service: in one statement its chunks become what search serves and all others go.
 * False, and nothing is changed, when the claim no longer holds or not every one of its chunks has a vector.
 */
export async function complete(db: Database, claim: Claim, chunkCount: number): Promise<boolean> {
  const { rows } = await sql`
    with completed as (
      update documents d set
        status = 'completed', active_revision = d.revision, chunk_count = ${chunkCount}, error_message = null, error_code = null,
        lease_token = null, lease_expires_at = null, attempt = 0, retry_count = 0, next_attempt_at = null
      where ${leaseFence(claim)} and (${chunkCount}::int, ${chunkCount}::int) = (
        select count(*), count(embedding) from chunks c
        where c.organization_id = d.organization_id and c.document_id = d.id and c.revision = d.revision)
      returning d.id, d.revision
    ),
    superseded as (
      delete from chunks c using completed
      where c.organization_id = ${claim.organizationId} and c.document_id = ${claim.documentId} and c.revision <> completed.revision
    )
    select id from completed`.execute(db)
  return rows.length > 0
}

/** Ends the claimed revision in error. What search served before, it serves still. */
export async function fail(db: Database, claim: Claim, error: { code: string; message: string }): Promise<boolean> {
  const { rows } = await sql`
    update documents d set
      status = 'error', error_code = ${error.code}, error_message = ${error.message},
      lease_token = null, lease_expires_at = null, next_attempt_at = null
    where ${leaseFence(claim)}
    returning d.id`.execute(db)
  return rows.length > 0
}

/**
 * Gives the document back, to be due again after so many seconds, when a message is to arrive. Repeated because its answer was
 * lost, it is true again: the message is yet to be sent.
 * @param counts what this delivery adds: an `attempt` if it failed by a fault of ours, a `retry` if the provider put it
 * off, neither if it only ran out of time
 */
export async function giveBack(
  db: Database,
  claim: Claim,
  afterSeconds: number,
  counts?: 'attempt' | 'retry',
): Promise<boolean> {
  const due = sql`now() + make_interval(secs => ${afterSeconds})`
  const attempt = claim.attempt - (counts === 'attempt' ? 0 : 1)
  const retries = claim.retries + (counts === 'retry' ? 1 : 0)
  const { rows } = await sql`
    with given_back as (
      update documents d set
        status = 'pending', lease_token = null, lease_expires_at = null, attempt = ${attempt}, retry_count = ${retries},
        next_attempt_at = ${due}, resend_at = ${due} + make_interval(secs => ${lostAfterSeconds})
      where ${leaseFence(claim)}
      returning d.id
    )
    select id from given_back
    union all
    select d.id from documents d
    where d.organization_id = ${claim.organizationId} and d.id = ${claim.documentId} and d.revision = ${claim.revision}
      and d.status = 'pending' and (d.attempt, d.retry_count) = (${attempt}::int, ${retries}::int)`.execute(db)
  return rows.length > 0
}

import { sql } from 'kysely'
import type { Database } from '../../shared/database/database.ts'
import { lostAfterSeconds } from '../../shared/documents/outbox.ts'
import type { DocumentId, OrganizationId } from '../../shared/ids.ts'
import { describeError, log } from '../../shared/log.ts'
import { report } from '../../shared/metrics.ts'
import { type Sender, sendOrLog, type WorkMessage } from '../../shared/queue.ts'
import { semaphore } from '../../shared/semaphore.ts'

/** Crashed deliveries after which a document is given up; the worker's claim keeps to the same number. */
const maxAttempts = 5
/** What one sweep takes on, of each kind: bounds its time, its locks and what it adds to the queue. */
const maxPerSweep = 1000
const sendsAtOnce = 20
/** Below this, no further send begins: the last ones, and what follows them, must still end in time. */
const lastSendMilliseconds = 15_000
const keysPerPurge = 5000
/** After this no further batch of keys is begun: the rest is the next sweep's. */
const maxPurgeMilliseconds = 15_000

export interface SweepReport {
  recovered: number
  given_up: number
  resent: number
  /** Documents whose message could not be sent; they are due again. */
  send_failures: number
  keys_purged: number
  oldest_pending_seconds: number
}

/**
 * Finds what the queue has lost: returns documents whose worker died to pending, or to error after five attempts; ends what
 * has been waiting for a day; and sends again what is due but seems to have no message on its way. Drops idempotency keys
 * that are a day old. Any number may run at once: each passes over what another, or a request, has locked.
 * @param remaining milliseconds until this process is stopped
 */
export async function sweep(
  db: Database,
  queue: Sender,
  remaining: () => number = () => Number.POSITIVE_INFINITY,
): Promise<SweepReport> {
  const [recovered, closed, due, [oldest]] = await db.batch(recoverLeases, closeOverdue, takeDue, measureOldest)
  const isSent = await sendAll(queue, due, () => remaining() > lastSendMilliseconds)
  await scheduleResend(db, due, isSent)
  const keysPurged = await purgeKeys(db)
  const failed = recovered.filter((row) => row.status === 'error').length + closed.length
  const summary = {
    recovered: recovered.filter((row) => row.status === 'pending').length,
    given_up: failed,
    resent: isSent.filter(Boolean).length,
    send_failures: isSent.filter((each) => !each).length,
    keys_purged: keysPurged,
    oldest_pending_seconds: oldest!.seconds,
  }
  report({ OldestPendingSeconds: oldest!.seconds, LeaseRecoveries: recovered.length, DocumentsFailed: failed })
  log.info('sweep', { ...summary })
  return summary
}

const recoverLeases = sql<{ status: string }>`
  with expired as (
    select organization_id, id from documents
    where managed_by = 'service' and status = 'processing' and lease_expires_at < now()
    order by lease_expires_at
    limit ${maxPerSweep}
    for update skip locked
  )
  update documents d set
    status = case when attempt < ${maxAttempts} then 'pending' else 'error' end,
    error_code = case when attempt < ${maxAttempts} then null else 'attempts_exhausted' end,
    error_message = case when attempt < ${maxAttempts} then null
      else 'Processing was interrupted five times. Set the status to pending to try again; if it fails again, split the document.' end,
    lease_token = null, lease_expires_at = null, next_attempt_at = null,
    resend_at = lease_expires_at
  from expired
  where (d.organization_id, d.id) = (expired.organization_id, expired.id)
  returning d.status`

const closeOverdue = sql`
  with overdue as (
    select organization_id, id from documents
    where managed_by = 'service' and status = 'pending' and pending_since < now() - interval '24 hours'
    order by pending_since
    limit ${maxPerSweep}
    for update skip locked
  )
  update documents d set
    status = 'error', next_attempt_at = null,
    error_code = case when retry_count > 0 then 'provider_unavailable' else 'not_processed' end,
    error_message = case when retry_count > 0 then 'The embedding provider did not take the text for 24 hours.'
      else 'The document was not processed within 24 hours.' end || ' Set the status to pending to try again.'
  from overdue
  where (d.organization_id, d.id) = (overdue.organization_id, overdue.id)
  returning d.id`

interface Due {
  organization_id: OrganizationId
  id: DocumentId
  /** Microseconds matter: it tells whether the row is still as it was taken. */
  resend_at: string
  request_id: string | null
  requested_by: string | null
}

/**
 * Due, and no message has brought a worker by `resend_at`. Organizations take turns; within one, what is due longest goes
 * first. Should this sweep die before it has sent them, they are due again like any lost message.
 */
const takeDue = sql<Due>`
  with due as (
    select organization_id, id, resend_at, row_number() over (partition by organization_id order by resend_at) as turn
    from documents
    where managed_by = 'service' and status = 'pending' and coalesce(next_attempt_at, now()) <= now()
      and resend_at <= now()
  ),
  chosen as (
    select d.organization_id, d.id from documents d
    join due on (due.organization_id, due.id) = (d.organization_id, d.id)
    where d.status = 'pending' and d.resend_at = due.resend_at
    order by turn, due.resend_at
    limit ${maxPerSweep}
    for update of d skip locked
  )
  update documents d set resend_at = now() + make_interval(secs => ${lostAfterSeconds})
  from chosen
  where (d.organization_id, d.id) = (chosen.organization_id, chosen.id)
  returning d.organization_id, d.id, d.resend_at::text, d.request_id, d.requested_by`

/**
 * What was sent is sent again after as long as the document has been waiting, or five minutes where the wait was the
 * provider's wish: so a backlog that merely waits in line is sent a handful of times in all, not every minute. What was not
 * sent is due at the next sweep. Passes over what a worker, or a request, has changed meanwhile.
 */
async function scheduleResend(db: Database, taken: Due[], isSent: boolean[]): Promise<void> {
  if (taken.length === 0) return
  try {
    await sql`
      update documents d set resend_at = now() + case when tried.is_sent
        then greatest(make_interval(secs => ${lostAfterSeconds}),
          least(now() - pending_since, case when retry_count > 0 then interval '5 minutes' end))
        else interval '0' end
      from unnest(${taken.map((row) => row.organization_id)}::uuid[], ${taken.map((row) => row.id)}::uuid[],
        ${taken.map((row) => row.resend_at)}::timestamptz[], ${isSent}::boolean[]) as tried(organization_id, id, resend_at, is_sent)
      where (d.organization_id, d.id, d.resend_at) = (tried.organization_id, tried.id, tried.resend_at)
        and d.status = 'pending'`.execute(db)
  } catch (error) {
    log.error('resend_not_scheduled', { documents: taken.length, error: describeError(error) })
  }
}

const measureOldest = sql<{ seconds: number }>`
  select coalesce(extract(epoch from now() - min(pending_since)), 0)::int as seconds
  from documents where managed_by = 'service' and status in ('pending', 'processing')`

/**
 * Sends in the order given, and stops when the queue has proved dead (as many sends in a row have failed as go at once) or
 * time is up.
 * @returns of each whether its message was sent
 */
async function sendAll(queue: Sender, due: Due[], maySend: () => boolean): Promise<boolean[]> {
  const places = semaphore(sendsAtOnce)
  let failuresInRow = 0
  const isSent = due.map(async (row) => {
    const release = await places.acquire()
    try {
      if (failuresInRow >= sendsAtOnce || !maySend()) return false
      const isTaken = await sendOrLog(queue, toWork(row))
      failuresInRow = isTaken ? 0 : failuresInRow + 1
      return isTaken
    } finally {
      release()
    }
  })
  return await Promise.all(isSent)
}

function toWork(row: Due): WorkMessage {
  return {
    organizationId: row.organization_id,
    documentId: row.id,
    requestId: row.request_id ?? undefined,
    apiKeyId: row.requested_by ?? undefined,
  }
}

/**
 * Batch by batch, until no old key is left or time is up: the API's throttle admits 30,000 keys a minute. Each batch in a
 * transaction of its own: a request holds its key's row while it waits for a document's.
 */
async function purgeKeys(db: Database): Promise<number> {
  const started = performance.now()
  let purged = 0
  for (;;) {
    const { numAffectedRows = 0n } = await purgeBatch.execute(db)
    purged += Number(numAffectedRows)
    if (numAffectedRows < keysPerPurge || performance.now() - started > maxPurgeMilliseconds) return purged
  }
}

const purgeBatch = sql`
  delete from idempotency_keys
  where (organization_id, api_key_id, key) in (
    select organization_id, api_key_id, key from idempotency_keys
    where created_at < now() - interval '24 hours'
    order by created_at
    limit ${keysPerPurge}
  ) and created_at < now() - interval '24 hours'`

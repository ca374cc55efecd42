import { sql } from 'kysely'
import type { Database } from '../../shared/database.ts'
import type { DocumentId, OrganizationId } from '../../shared/ids.ts'
import { log } from '../../shared/log.ts'
import type { Queue } from '../../shared/queue.ts'

/** Crashed deliveries after which a document is given up; the worker's claim keeps to the same number. */
const mostAttempts = 5
/** Seconds after which a message that brought no worker is taken for lost. */
const lostAfterSeconds = 120
const mostPerOrganization = 100
const mostPerSweep = 1000

export interface SweepReport {
  recovered: number
  given_up: number
  resent: number
  send_failures: number
  oldest_pending_seconds: number
}

/**
 * Finds what the queue has lost: returns documents whose worker died to pending, or to error after five attempts; ends what
 * has been waiting for a day; and sends again what is due but has no message on its way. Any number may run at once.
 */
export async function sweep(db: Database, queue: Queue): Promise<SweepReport> {
  const [recovered, expired, due, [oldest]] = await db.batch(
    sql<{ status: string }>`
      update documents set
        status = case when attempt < ${mostAttempts} then 'pending' else 'error' end,
        error_code = case when attempt < ${mostAttempts} then null else 'attempts_exhausted' end,
        error_message = case when attempt < ${mostAttempts} then null
          else 'Processing was interrupted five times. Set the status to pending to try again; if it fails again, split the document.' end,
        lease_token = null, lease_expires_at = null, next_attempt_at = null,
        enqueued_at = '-infinity'
      where managed_by = 'service' and status = 'processing' and lease_expires_at < now()
      returning status`,
    sql`
      update documents set
        status = 'error', error_code = 'provider_unavailable', next_attempt_at = null,
        error_message = 'The embedding service could not be reached for 24 hours. Set the status to pending to try again.'
      where managed_by = 'service' and status = 'pending' and pending_since < now() - interval '24 hours'
      returning id`,
    sql<{ organization_id: OrganizationId; id: DocumentId }>`
      with due as (
        select organization_id, id, row_number() over (partition by organization_id order by pending_since) as turn
        from documents
        where managed_by = 'service' and status = 'pending' and coalesce(next_attempt_at, now()) <= now()
          and enqueued_at < now() - make_interval(secs => ${lostAfterSeconds})
      ),
      chosen as (
        select d.organization_id, d.id from documents d
        join due on (due.organization_id, due.id) = (d.organization_id, d.id)
        where turn <= ${mostPerOrganization} and d.status = 'pending'
        order by turn
        limit ${mostPerSweep}
        for update of d skip locked
      )
      update documents d set enqueued_at = now()
      from chosen
      where (d.organization_id, d.id) = (chosen.organization_id, chosen.id)
      returning d.organization_id, d.id`,
    sql<{ seconds: number }>`
      select coalesce(extract(epoch from now() - min(pending_since)), 0)::int as seconds
      from documents where managed_by = 'service' and status in ('pending', 'processing')`,
  )
  const sent = await Promise.allSettled(
    due.map((row) => queue.send({ organizationId: row.organization_id, documentId: row.id })),
  )
  const report = {
    recovered: recovered.filter((row) => row.status === 'pending').length,
    given_up: expired.length + recovered.filter((row) => row.status === 'error').length,
    resent: sent.filter((result) => result.status === 'fulfilled').length,
    send_failures: sent.filter((result) => result.status === 'rejected').length,
    oldest_pending_seconds: oldest!.seconds,
  }
  log.info('sweep', { ...report })
  return report
}

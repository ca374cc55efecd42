import { sql } from 'kysely'
import type { Database } from '../../shared/database/database.ts'
import type { DocumentId, OrganizationId } from '../../shared/ids.ts'
import type { Origin } from '../../shared/queue.ts'

/** Seconds for which a claimed document is the worker's alone: longer than the Lambda's time-out, so a live worker keeps it. */
export const leaseSeconds = 150

/** Deliveries that may end in a crash before a document is given up; the sweeper keeps to the same number. */
export const maxAttempts = 5

export interface Subject {
  organizationId: OrganizationId
  documentId: DocumentId
}

/** A document in this worker's hands: what it wrote is accepted while revision and lease are still these. */
export interface Claim extends Subject {
  agentId: string
  revision: number
  leaseToken: string
  /** Deliveries of this revision that have not ended in order, this one included. */
  attempt: number
  /** How often this revision has been put off. */
  retries: number
  content: string
  /** Since the revision was asked for. */
  pendingMilliseconds: number
  /** The request that asked for it. */
  origin: Origin
}

/**
 * Acquires a document that is due, or whose last worker's lease ran out; undefined when there is nothing to do. Repeated
 * under its own token, because its answer was lost, it gives that answer again.
 */
export async function claim(
  db: Database,
  { organizationId, documentId }: Subject,
  leaseToken: string,
): Promise<Claim | undefined> {
  const { rows } = await sql<{
    agent_id: string
    revision: number
    attempt: number
    retry_count: number
    content: string
    pending_milliseconds: number
    request_id: string | null
    requested_by: string | null
  }>`
    update documents set
      status = 'processing',
      lease_token = ${leaseToken},
      lease_expires_at = now() + make_interval(secs => ${leaseSeconds}),
      attempt = attempt + (lease_token is distinct from ${leaseToken})::int,
      next_attempt_at = null
    where organization_id = ${organizationId} and id = ${documentId} and managed_by = 'service'
      and (status = 'pending' and coalesce(next_attempt_at, now()) <= now()
        or status = 'processing' and lease_expires_at < now() and attempt < ${maxAttempts}
        or status = 'processing' and lease_token = ${leaseToken})
    returning agent_id, revision, attempt, retry_count, content, request_id, requested_by,
      (extract(epoch from now() - pending_since) * 1000)::float8 as pending_milliseconds`.execute(db)
  const row = rows[0]
  return (
    row && {
      organizationId,
      documentId,
      leaseToken,
      agentId: row.agent_id,
      revision: row.revision,
      attempt: row.attempt,
      retries: row.retry_count,
      content: row.content,
      pendingMilliseconds: row.pending_milliseconds,
      origin: { requestId: row.request_id ?? undefined, apiKeyId: row.requested_by ?? undefined },
    }
  )
}

/** The fence: the claimed document's row (alias d), if it is still at the claimed revision under the claimed lease. */
export function leaseFence({ organizationId, documentId, revision, leaseToken }: Claim) {
  return sql<boolean>`d.organization_id = ${organizationId} and d.id = ${documentId}
    and d.revision = ${revision} and d.lease_token = ${leaseToken}`
}

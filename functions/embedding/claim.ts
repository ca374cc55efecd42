import { sql } from 'kysely'
import { columnsOf } from '../../shared/database/columns.ts'
import type { Database } from '../../shared/database/database.ts'
import { isClaimable, type Lease, claim as toProcessing } from '../../shared/documents/transitions.ts'
import type { Origin, WorkMessage } from '../../shared/queue.ts'

/** A document that this worker has leased, as it was then. */
export interface Claim extends Lease {
  /** Deliveries of this revision that have not ended in order, this one included. */
  attempt: number
  /** How often a retry of this revision has been scheduled. */
  retries: number
  content: string
  /** Since the revision was asked for. */
  pendingMilliseconds: number
  /** The request that asked for it. */
  origin: Origin
}

const d = columnsOf('documents', 'd')

/**
 * Claims a document that is due, or whose last worker's lease expired; undefined when there is nothing to do. Repeated
 * under its own token, because its response was lost, it gives that response again.
 */
export async function claim(
  db: Database,
  { organizationId, documentId }: Pick<WorkMessage, 'organizationId' | 'documentId'>,
  leaseToken: string,
): Promise<Claim | undefined> {
  const row = await db
    .updateTable('documents as d')
    .set(toProcessing(leaseToken))
    .where('d.organization_id', '=', organizationId)
    .where('d.id', '=', documentId)
    .where(isClaimable(leaseToken))
    .returning(['d.revision', 'd.attempt', 'd.retry_count', 'd.content', 'd.request_id', 'd.requested_by'])
    .returning(sql<number>`(extract(epoch from now() - ${d.pending_since}) * 1000)::float8`.as('pending_milliseconds'))
    .executeTakeFirst()
  if (!row) return undefined
  return {
    organizationId,
    documentId,
    leaseToken,
    revision: row.revision,
    attempt: row.attempt,
    retries: row.retry_count,
    content: row.content!,
    pendingMilliseconds: row.pending_milliseconds,
    origin: { requestId: row.request_id ?? undefined, apiKeyId: row.requested_by ?? undefined },
  }
}

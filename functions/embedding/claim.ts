import { sql } from 'kysely'
import { columnsOf } from '../../shared/database/columns.ts'
import type { Database } from '../../shared/database/database.ts'
import { isClaimable, type Lease, claim as toProcessing } from '../../shared/documents/transitions.ts'
import type { Origin, WorkMessage } from '../../shared/queue.ts'

export interface Claim extends Lease {
  /** Deliveries of this revision that did not end properly, this one included. */
  attempt: number
  retries: number
  content: string
  /** Since the revision was requested. */
  pendingMilliseconds: number
  /** The request that caused the revision. */
  origin: Origin
}

const d = columnsOf('documents', 'd')

/** Undefined when there is nothing to do. Repeatable under the same token, in case the response was lost. */
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

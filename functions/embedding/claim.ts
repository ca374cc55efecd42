import { type Selectable, sql } from 'kysely'
import { columnsOf } from '../../shared/database/columns.ts'
import type { Database } from '../../shared/database/database.ts'
import type { DocumentScope } from '../../shared/database/scope.ts'
import type { Tables } from '../../shared/database/tables.ts'
import { isClaimable, type Lease, claim as toProcessing } from '../../shared/documents/transitions.ts'
import type { AgentId } from '../../shared/ids.ts'
import type { Origin, WorkMessage } from '../../shared/queue.ts'

export type StoredChunk = Pick<Selectable<Tables['chunks']>, 'revision' | 'chunk_index' | 'vector_id'>

export interface Claim extends Lease, DocumentScope {
  /** What search serves meanwhile; 0 for nothing. */
  activeRevision: number
  /** Chunks of any revision. */
  stored: StoredChunk[]
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
  const { claimed, stored } = await db.batch({
    claimed: db
      .updateTable('documents as d')
      .set(toProcessing(leaseToken))
      .where('d.organization_id', '=', organizationId)
      .where('d.id', '=', documentId)
      .where(isClaimable(leaseToken))
      .returning(['d.agent_id', 'd.revision', 'd.active_revision', 'd.attempt', 'd.retry_count', 'd.content'])
      .returning(['d.request_id', 'd.requested_by'])
      .returning(
        sql<number>`(extract(epoch from now() - ${d.pending_since}) * 1000)::float8`.as('pending_milliseconds'),
      ),
    stored: db
      .selectFrom('chunks as c')
      .select(['c.revision', 'c.chunk_index', 'c.vector_id'])
      .where('c.organization_id', '=', organizationId)
      .where('c.document_id', '=', documentId)
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom('documents as d')
            .select('d.id')
            .where('d.organization_id', '=', organizationId)
            .where('d.id', '=', documentId)
            .where('d.lease_token', '=', leaseToken),
        ),
      ),
  })
  const [row] = claimed
  if (!row) return undefined
  return {
    organizationId,
    documentId,
    agentId: row.agent_id as AgentId,
    leaseToken,
    revision: row.revision,
    activeRevision: row.active_revision ?? 0,
    stored,
    attempt: row.attempt,
    retries: row.retry_count,
    content: row.content!,
    pendingMilliseconds: row.pending_milliseconds,
    origin: { requestId: row.request_id ?? undefined, apiKeyId: row.requested_by ?? undefined },
  }
}

import { type Selectable, sql } from 'kysely'
import { columnsOf } from '../../shared/database/columns.ts'
import type { Database } from '../../shared/database/database.ts'
import { recordset } from '../../shared/database/recordset.ts'
import type { DocumentScope } from '../../shared/database/scope.ts'
import type { Tables } from '../../shared/database/tables.ts'
import type { Claimed } from '../../shared/documents/outcome.ts'
import { awaitsText, isClaimable, type Lease, claim as toProcessing } from '../../shared/documents/transitions.ts'
import type { AgentId } from '../../shared/ids.ts'
import type { Origin } from '../../shared/queue.ts'

export type StoredChunk = Pick<Selectable<Tables['chunks']>, 'revision' | 'chunk_index' | 'vector_id'>

export interface Claim extends Claimed, DocumentScope {
  /** What search serves meanwhile; 0 for nothing. */
  activeRevision: number
  /** Chunks of any revision. */
  stored: StoredChunk[]
  title: string
  /** Of a file, what was extracted from it. */
  content: string
  /** Since the revision was requested. */
  pendingMilliseconds: number
  /** The request that caused the revision. */
  origin: Origin
}

export type Claimant = Omit<Lease, 'revision'>

const d = columnsOf('documents', 'd')

/**
 * @param claimants of documents of one organization; of several for one document at most one succeeds
 * @returns in their order; undefined where there is nothing to do. Repeatable under the same tokens, in case the response was lost
 */
export async function claim(db: Database, claimants: Claimant[]): Promise<(Claim | undefined)[]> {
  const { organizationId } = claimants[0]!
  const ids = claimants.map(({ documentId }) => documentId)
  const leaseTokens = claimants.map(({ leaseToken }) => leaseToken)
  const rows = claimants.map((each) => ({ document_id: each.documentId, lease_token: each.leaseToken }))
  const own = db.selectFrom('documents as d').where('d.organization_id', '=', organizationId).where('d.id', 'in', ids)
  const { claimed, stored } = await db.batch({
    // In the same order as everybody who locks several.
    ...(ids.length > 1 && { locked: own.select('d.id').orderBy('d.id').forNoKeyUpdate() }),
    claimed: db
      .updateTable('documents as d')
      .from(recordset('claimant', { document_id: 'uuid', lease_token: 'uuid' }, rows))
      .set(({ ref }) => toProcessing(ref('claimant.lease_token')))
      .where('d.organization_id', '=', organizationId)
      .where('d.id', 'in', ids)
      .whereRef('d.id', '=', 'claimant.document_id')
      .where(({ ref }) => isClaimable(ref('claimant.lease_token')))
      .where(sql<boolean>`not ${awaitsText}`)
      .returning(['d.id', 'd.agent_id', 'd.lease_token', 'd.revision', 'd.active_revision'])
      .returning(['d.attempt', 'd.retry_count', 'd.tries', 'd.title', 'd.request_id', 'd.requested_by'])
      .returning(({ fn }) => fn.coalesce('d.content', 'd.extracted_text').as('content'))
      .returning(
        sql<number>`(extract(epoch from now() - ${d.pending_since}) * 1000)::float8`.as('pending_milliseconds'),
      ),
    stored: db
      .selectFrom('chunks as c')
      .select(['c.document_id', 'c.revision', 'c.chunk_index', 'c.vector_id'])
      .where('c.organization_id', '=', organizationId)
      .where('c.document_id', 'in', ids)
      .where(({ exists, ref }) =>
        exists(own.select('d.id').where('d.id', '=', ref('c.document_id')).where('d.lease_token', 'in', leaseTokens)),
      ),
  })
  return claimants.map(({ documentId, leaseToken }) => {
    const row = claimed.find((each) => each.id === documentId && each.lease_token === leaseToken)
    return (
      row && {
        organizationId,
        documentId,
        agentId: row.agent_id as AgentId,
        leaseToken,
        revision: row.revision,
        activeRevision: row.active_revision ?? 0,
        stored: stored.filter(({ document_id }) => document_id === documentId),
        attempt: row.attempt,
        retries: row.retry_count,
        tries: row.tries,
        title: row.title,
        content: row.content!,
        pendingMilliseconds: row.pending_milliseconds,
        origin: { requestId: row.request_id ?? undefined, apiKeyId: row.requested_by ?? undefined },
      }
    )
  })
}

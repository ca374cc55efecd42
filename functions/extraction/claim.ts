import { sql } from 'kysely'
import type { Database } from '../../shared/database/database.ts'
import type { Claimed } from '../../shared/documents/outcome.ts'
import {
  awaitsText,
  isClaimable,
  isUploadOver,
  type Lease,
  claim as toProcessing,
} from '../../shared/documents/transitions.ts'
import { keyOfUrl } from '../../shared/files/file-url.ts'
import type { Origin } from '../../shared/queue.ts'

export interface Claim extends Claimed {
  /** Of the file. */
  key: string
  /** No file can arrive any more. */
  isUploadOver: boolean
  /** The request that caused the revision. */
  origin: Origin
}

/**
 * @returns no `claim` when there is nothing to do, no `key` when there is no such document, or it is none of a file any more.
 * Repeatable under the same token, in case the response was lost
 */
export async function claim(
  db: Database,
  { organizationId, documentId, leaseToken }: Omit<Lease, 'revision'>,
): Promise<{ claim: Claim | undefined; key: string | undefined }> {
  const token = sql<string>`${leaseToken}::uuid`
  const { claimed, found } = await db.batch({
    claimed: db
      .updateTable('documents as d')
      .set(toProcessing(token))
      .where('d.organization_id', '=', organizationId)
      .where('d.id', '=', documentId)
      .where(isClaimable(token))
      .where(awaitsText)
      .returning(['d.revision', 'd.attempt', 'd.retry_count', 'd.tries', 'd.request_id', 'd.requested_by'])
      .returning(isUploadOver.as('is_upload_over')),
    found: db
      .selectFrom('documents as d')
      .select('d.source_url')
      .where('d.organization_id', '=', organizationId)
      .where('d.id', '=', documentId),
  })
  const sourceUrl = found[0]?.source_url
  if (!sourceUrl) return { claim: undefined, key: undefined }
  const key = keyOfUrl(sourceUrl)
  const [row] = claimed
  return {
    key,
    claim: row && {
      organizationId,
      documentId,
      leaseToken,
      revision: row.revision,
      attempt: row.attempt,
      retries: row.retry_count,
      tries: row.tries,
      key,
      isUploadOver: row.is_upload_over,
      origin: { requestId: row.request_id ?? undefined, apiKeyId: row.requested_by ?? undefined },
    },
  }
}

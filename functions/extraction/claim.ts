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
  /** The file's. */
  key: string
  /** ETag of the file that the text was extracted from before; null if it never was. */
  eTag: string | null
  /** No file can arrive any more. */
  isUploadOver: boolean
  /** The request that caused the revision. */
  origin: Origin
}

/**
 * @returns undefined when there is nothing to do. Repeatable under the same token, in case the response was lost
 */
export async function claim(
  db: Database,
  { organizationId, documentId, leaseToken }: Omit<Lease, 'revision'>,
): Promise<Claim | undefined> {
  const token = sql<string>`${leaseToken}::uuid`
  const row = await db
    .updateTable('documents as d')
    .set(toProcessing(token))
    .where('d.organization_id', '=', organizationId)
    .where('d.id', '=', documentId)
    .where(isClaimable(token))
    .where(awaitsText)
    .returning(['d.revision', 'd.attempt', 'd.retry_count', 'd.tries', 'd.request_id', 'd.requested_by'])
    .returning(['d.source_url', 'd.file_etag', isUploadOver.as('is_upload_over')])
    .executeTakeFirst()
  return (
    row && {
      organizationId,
      documentId,
      leaseToken,
      revision: row.revision,
      attempt: row.attempt,
      retries: row.retry_count,
      tries: row.tries,
      key: keyOfUrl(row.source_url!),
      eTag: row.file_etag,
      isUploadOver: row.is_upload_over,
      origin: { requestId: row.request_id ?? undefined, apiKeyId: row.requested_by ?? undefined },
    }
  )
}

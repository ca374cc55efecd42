import type { Database } from '../../shared/database/database.ts'
import type { SourceType } from '../../shared/database/tables.ts'
import { hashContent } from '../../shared/documents/documents.ts'
import * as transitions from '../../shared/documents/transitions.ts'

/**
 * The document is then the embedding Lambda's. Repeated because its response was lost, it finds its own text on the row, not tried
 * by anybody yet, and returns true again: the message is yet to be sent.
 * @returns false when the lease is lost
 */
export async function handOver(
  db: Database,
  lease: transitions.Lease,
  { text, sourceType, eTag }: { text: string; sourceType: SourceType; eTag: string },
): Promise<boolean> {
  const content_hash = hashContent(text)
  const extracted = { extracted_text: text, content_hash, source_type: sourceType, file_etag: eTag }
  const handedOver = await db
    .updateTable('documents as d')
    .set(transitions.handOver(extracted))
    .where(transitions.isLeasedRevision(lease))
    .where((eb) =>
      eb.or([
        eb('d.lease_token', '=', lease.leaseToken),
        eb.and({ 'd.status': 'pending', 'd.content_hash': content_hash, 'd.tries': 0 }),
      ]),
    )
    .returning('d.id')
    .executeTakeFirst()
  return handedOver !== undefined
}

import type { Database } from '../../shared/database/database.ts'
import type { SourceType } from '../../shared/database/tables.ts'
import { hashContent } from '../../shared/documents/documents.ts'
import * as transitions from '../../shared/documents/transitions.ts'
import { titleTerms } from '../../shared/terms/indexed-terms.ts'

/** Repeatable: it then finds its own text on the row, not claimed by anybody yet. @returns false when the lease is lost */
export async function handOver(
  db: Database,
  lease: transitions.Lease,
  { text, sourceType, title, eTag }: { text: string; sourceType: SourceType; title?: string | undefined; eTag: string },
): Promise<boolean> {
  const content_hash = hashContent(text)
  const extracted = { extracted_text: text, content_hash, source_type: sourceType, file_etag: eTag }
  const { handedOver } = await db.batch({
    ...(title !== undefined && {
      titled: db
        .updateTable('documents as d')
        .set({ title, title_terms: titleTerms(title) })
        .where(transitions.leaseFence(lease))
        .where('d.title_from_file', '=', true),
    }),
    handedOver: db
      .updateTable('documents as d')
      .set(transitions.handOver(extracted))
      .where(transitions.isLeasedRevision(lease))
      .where((eb) =>
        eb.or([
          eb('d.lease_token', '=', lease.leaseToken),
          eb.and({ 'd.status': 'pending', 'd.content_hash': content_hash, 'd.tries': 0 }),
        ]),
      )
      .returning('d.id'),
  })
  return handedOver.length > 0
}

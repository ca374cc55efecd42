import type { Database } from '../../shared/database/database.ts'
import { type Claim, type Claimant, claimDocuments, toClaim } from '../../shared/documents/attempt.ts'
import { awaitsText, isUploadOver } from '../../shared/documents/transitions.ts'
import { keyOfUrl } from '../../shared/files/file-url.ts'

export interface FileClaim extends Claim {
  key: string
  /** The ETag of the file whose text was extracted before, if any. */
  eTag: string | null
  isUploadOver: boolean
}

export async function claim(db: Database, claimant: Claimant): Promise<FileClaim | undefined> {
  const row = await claimDocuments(db, [claimant])
    .where(awaitsText)
    .returning(['d.source_url', 'd.file_etag', isUploadOver.as('is_upload_over')])
    .executeTakeFirst()
  if (!row) return undefined
  return { ...toClaim(row), key: keyOfUrl(row.source_url!), eTag: row.file_etag, isUploadOver: row.is_upload_over }
}

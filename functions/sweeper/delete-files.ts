import { sql } from 'kysely'
import { columnsOf } from '../../shared/database/columns.ts'
import type { Database } from '../../shared/database/database.ts'
import type { Bucket } from '../../shared/files/bucket.ts'
import { keyOfUrl } from '../../shared/files/file-url.ts'
import { describeError, log } from '../../shared/log.ts'
import { maxPerSweep } from './limits.ts'

const f = columnsOf('obsolete_files', 'obsolete_files')

/** Files that no document names any more, longest due first. */
export function findObsoleteFiles(db: Database) {
  return db
    .selectFrom('obsolete_files')
    .select('source_url')
    .where('delete_at', '<=', sql<Date>`now()`)
    .orderBy('delete_at')
    .limit(maxPerSweep)
}

/**
 * Files go before their rows, so that none is forgotten: safe to repeat. A file that may still arrive is deleted once more.
 * @returns how many were deleted; 0 if the bucket or the database could not be reached
 */
export async function deleteFiles(
  db: Database,
  bucket: Pick<Bucket, 'delete'>,
  files: { source_url: string }[],
): Promise<number> {
  if (files.length === 0) return 0
  const urls = files.map((file) => file.source_url)
  try {
    await bucket.delete(urls.map(keyOfUrl))
    await db.batch({
      deleted: db.deleteFrom('obsolete_files').where('source_url', 'in', urls).where('last_at', '<=', sql<Date>`now()`),
      postponed: db
        .updateTable('obsolete_files')
        .set({ delete_at: sql<Date>`${f.last_at}` })
        .where('source_url', 'in', urls),
    })
    return urls.length
  } catch (error) {
    log.error('files_not_deleted', { files: urls.length, error: describeError(error) })
    return 0
  }
}

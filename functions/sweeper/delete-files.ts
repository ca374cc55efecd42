import { sql } from 'kysely'
import type { Database } from '../../shared/database/database.ts'
import type { Bucket } from '../../shared/files/bucket.ts'
import { keyOfUrl, prefixOfUrl } from '../../shared/files/file-url.ts'
import { maxPerSweep } from './lost.ts'

export function findObsoleteFiles() {
  return sql<{ source_url: string }>`
    select source_url from obsolete_files where delete_at <= now() order by delete_at limit ${maxPerSweep}`
}

/** Deletes files, then their rows; a file that may still arrive is deleted again later. @returns the number of files */
export async function deleteFiles(
  db: Database,
  bucket: Pick<Bucket, 'delete' | 'list'>,
  files: { source_url: string }[],
): Promise<number> {
  const keys: string[] = []
  const done: string[] = []
  for (const { source_url: url } of files) {
    const prefix = prefixOfUrl(url)
    const found = prefix === undefined ? [keyOfUrl(url)] : await bucket.list(prefix)
    keys.push(...found)
    if (prefix === undefined || found.length === 0) done.push(url)
  }
  if (keys.length > 0) await bucket.delete([...new Set(keys)])
  if (done.length > 0)
    await db.batch({
      deleted: sql`delete from obsolete_files where source_url = any(${done}) and last_at <= now()`,
      postponed: sql`update obsolete_files set delete_at = last_at where source_url = any(${done})`,
    })
  return keys.length
}

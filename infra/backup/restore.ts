import type { Database } from '../../shared/database/database.ts'
import type { EraseOptions } from '../../shared/erasure/erase.ts'
import { migrateAt } from '../migrations/migrate.ts'
import { type Backup, restoreBackup } from './backup.ts'
import { erasuresWithRows, type Removals, removeAgain } from './removals.ts'

interface Restore extends EraseOptions {
  /** The owner's URL on the direct host, and the same database over Neon's protocol. */
  url: string
  db: Database
  /** The backup that fills an empty database; without it, the database already has its rows. */
  backup: Backup | undefined
  /** Called once the database is filled and migrated. */
  removals: () => Promise<Removals[]>
}

/**
 * Prepares an unused database for this release's Lambdas: fills and migrates it, and repeats later removals. Erasing comes last, because
 * it covers only this release's tables, and makes no pauses, because there is no traffic. A second run continues an interrupted one.
 * @throws Error on one line
 */
export async function restore({ url, db, backup, removals, ...options }: Restore) {
  const name = backup && (await restoreBackup(backup, url))
  // A dump lacks the database's privileges. Migrating sets them, even if no migration is pending.
  await migrateAt(url)
  const { erased, revoked } = await removeAgain(db, await removals(), { ...options, pause: () => Promise.resolve() })
  if ((await erasuresWithRows(db)).length > 0) throw new Error('what was erased is still there')
  return { backup: name, erased: erased.length, revoked }
}

import type { Database } from '../../shared/database/database.ts'
import type { EraseOptions } from '../admin/erasure/erase.ts'
import { migrateAt } from '../migrations/migrate.ts'
import { type Backup, restoreBackup } from './backup.ts'
import { erasuresWithRows, type Removals, removeAgain } from './removals.ts'

interface Restore extends EraseOptions {
  /** The owner's URL on the direct host, and the same database over Neon's protocol. */
  url: string
  db: Database
  /** What fills an empty database; without it the database has its rows already. */
  backup: Backup | undefined
  /** Asked for when the database is there. */
  removals: () => Promise<Removals[]>
}

/**
 * Brings a database that nobody uses yet to where Lambdas of this release may: filled, migrated, and without what was removed since.
 * Erasing comes last, since it knows the tables of this release only, and makes no pauses, since there is no traffic. Interrupted, a second
 * run continues.
 * @throws Error on one line
 */
export async function restore({ url, db, backup, removals, ...options }: Restore) {
  const name = backup && (await restoreBackup(backup, url))
  // A dump has no privileges of the database: migrating sets them, with or without a migration.
  await migrateAt(url)
  const { erased, revoked } = await removeAgain(db, await removals(), { ...options, pause: () => Promise.resolve() })
  if ((await erasuresWithRows(db)).length > 0) throw new Error('what was erased is still there')
  return { backup: name, erased: erased.length, revoked }
}

import { Pool } from '@neondatabase/serverless'
import { Kysely, type Migration, Migrator, PostgresDialect } from 'kysely'
import { log } from '../../shared/log.ts'
import * as initial from './0001_initial.ts'

const migrations: Record<string, Migration> = { '0001_initial': initial }

/**
 * Brings the database to the newest schema over one session, which holds Kysely's migration lock: of two runs at once the
 * second waits and finds nothing to do. All pending migrations are applied or, when one fails, none; then its error is thrown.
 * @returns the names of the migrations applied now, in order
 */
export async function migrate(connectionString: string): Promise<string[]> {
  const pool = new Pool({ connectionString, max: 1 })
  // A session that breaks after its last statement, while it is being closed, takes nothing back.
  pool.on('error', (error: unknown) => log.debug('idle_session_broke', { error }))
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) })
  try {
    const { error, results } = await new Migrator({
      db,
      provider: { getMigrations: async () => migrations },
    }).migrateToLatest()
    if (error) throw error
    return (results ?? []).map((result) => result.migrationName)
  } finally {
    await db.destroy()
  }
}

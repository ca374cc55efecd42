import { Pool, type PoolClient } from '@neondatabase/serverless'
import { Kysely, type Migration, Migrator, PostgresDialect, sql } from 'kysely'
import { log } from '../../shared/log.ts'
import * as initial from './0001_initial.ts'
import * as roles from './0002_roles.ts'
import * as resend from './0003_resend.ts'
import * as cursors from './0004_cursors.ts'
import * as rolePerFunction from './0005_role_per_function.ts'

const migrations: Record<string, Migration> = {
  '0001_initial': initial,
  '0002_roles': roles,
  '0003_resend': resend,
  '0004_cursors': cursors,
  '0005_role_per_function': rolePerFunction,
}

/**
 * Brings the database to the newest schema over one session, which holds Kysely's migration lock: of two runs at once the
 * second waits and finds nothing to do. All pending migrations are applied or, when one fails, none; then its error is thrown.
 * @returns the names of the migrations applied now, in order
 */
export async function migrate(connectionString: string): Promise<string[]> {
  const pool = new Pool({ connectionString, max: 1 })
  // A session that breaks after its last statement, while it is being closed, takes nothing back.
  pool.on('error', (error: unknown) => log.debug('idle_session_broke', { error }))
  // One that breaks before is told by the statement that it broke.
  pool.on('connect', (client: PoolClient) =>
    client.on('error', (error: unknown) => log.debug('session_broke', { error })),
  )
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) })
  try {
    const known = { ...(await appliedByNewerCode(db)), ...migrations }
    const { error, results } = await new Migrator({
      db,
      provider: { getMigrations: async () => known },
    }).migrateToLatest()
    if (error) throw error
    return (results ?? []).map((result) => result.migrationName)
  } finally {
    await db.destroy()
  }
}

/** What only newer code knows, as migrations that do nothing: on a rollback the old code meets the new schema and leaves it be. */
async function appliedByNewerCode(db: Kysely<unknown>): Promise<Record<string, Migration>> {
  const { rows: tables } = await sql`select where to_regclass('kysely_migration') is not null`.execute(db)
  if (tables.length === 0) return {}
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db)
  return Object.fromEntries(rows.map(({ name }) => [name, { up: async () => {} }]))
}

import { Kysely, type Migration, Migrator, PostgresDialect, sql } from 'kysely'
import type { Pool } from 'pg'
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

/** All or none; Kysely's lock serializes concurrent runs. The pool stays open. @returns the names applied, in order */
export async function migrate(pool: Pool): Promise<string[]> {
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) })
  const known = { ...(await appliedByNewerCode(db)), ...migrations }
  const { error, results } = await new Migrator({
    db,
    provider: { getMigrations: async () => known },
  }).migrateToLatest()
  if (error) throw error
  return (results ?? []).map((result) => result.migrationName)
}

/** Migrations that only newer code has, as no-ops: after a rollback the old code leaves the new schema as it is. */
async function appliedByNewerCode(db: Kysely<unknown>): Promise<Record<string, Migration>> {
  const { rows: tables } = await sql`select where to_regclass('kysely_migration') is not null`.execute(db)
  if (tables.length === 0) return {}
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db)
  return Object.fromEntries(rows.map(({ name }) => [name, { up: async () => {} }]))
}

import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import type { Pool } from 'pg'
import * as initial from './0001_initial.ts'
import * as roles from './0002_roles.ts'
import * as resend from './0003_resend.ts'
import * as cursors from './0004_cursors.ts'
import * as rolePerFunction from './0005_role_per_function.ts'
import * as vectors from './0006_vectors.ts'
import * as searchIndexes from './0007_search_indexes.ts'
import * as searchSample from './0008_search_sample.ts'
import * as terms from './0009_terms.ts'
import * as queryVectors from './0010_query_vectors.ts'
import * as waitingEditsSearchable from './0011_waiting_edits_searchable.ts'
import * as agents from './0012_agents.ts'
import * as mcpRole from './0013_mcp_role.ts'
import * as platforms from './0014_platforms.ts'
import * as files from './0015_files.ts'
import * as dashboard from './0016_dashboard.ts'
import * as questionLog from './0017_question_log.ts'
import * as operators from './0018_operators.ts'
import * as limits from './0019_limits.ts'
import * as keys from './0020_keys.ts'
import * as uploads from './0021_files.ts'
import * as limitsBeforeWrites from './0022_limits.ts'
import * as fileTitles from './0023_file_titles.ts'
import { onOneLine, withConnection } from './connection.ts'
import { retrying } from './retrying.ts'
import type { Step } from './steps.ts'

interface Patience {
  /** Of a transaction, for each lock. */
  lockMilliseconds?: number
  pause?: (milliseconds: number) => Promise<unknown>
}

/** Several steps, or one transaction. */
type Migration = { steps: readonly Step[] } | { up: Step['run'] }

const all: Record<string, Migration> = {
  '0001_initial': initial,
  '0002_roles': roles,
  '0003_resend': resend,
  '0004_cursors': cursors,
  '0005_role_per_function': rolePerFunction,
  '0006_vectors': vectors,
  '0007_search_indexes': searchIndexes,
  '0008_search_sample': searchSample,
  '0009_terms': terms,
  '0010_query_vectors': queryVectors,
  '0011_waiting_edits_searchable': waitingEditsSearchable,
  '0012_agents': agents,
  '0013_mcp_role': mcpRole,
  '0014_platforms': platforms,
  '0015_files': files,
  '0016_dashboard': dashboard,
  '0017_question_log': questionLog,
  '0018_operators': operators,
  '0019_limits': limits,
  '0020_keys': keys,
  '0021_files': uploads,
  '0022_limits': limitsBeforeWrites,
  '0023_file_titles': fileTitles,
}

/** In order. */
export const migrationNames: readonly string[] = Object.keys(all)

/**
 * Applies the steps that are not recorded yet, in order, beside traffic. Migrations that only newer code has are left alone.
 * Runs at the same time follow each other. The pool stays open.
 *
 * Kysely's Migrator either wraps all steps in one transaction or records none in the transaction of its step, and waits for its
 * lock in a statement, for whose end `create index concurrently` of the other run would wait in turn. Its table and the
 * key of its lock are kept, so that older releases see what is applied.
 * @returns the names of the steps applied
 * @throws Error, on one line, that names the step that failed; those before it stay applied
 */
export async function migrate(pool: Pool, migrations = all, patience: Patience = {}): Promise<string[]> {
  return await withConnection(pool, async (db) => {
    await lock(db)
    try {
      return await applySteps(db, Object.entries(migrations).flatMap(toSteps), patience)
    } finally {
      await sql`select pg_advisory_unlock(${lockKey})`.execute(db).catch(() => {})
    }
  })
}

/** The first step has the migration's own name, the others end in .02, .03 … */
function toSteps([name, migration]: [string, Migration]): [string, Step][] {
  if ('up' in migration) return [[name, { isTransaction: true, run: migration.up }]]
  return migration.steps.map((step, i) => [i === 0 ? name : `${name}.${`${i + 1}`.padStart(2, '0')}`, step])
}

async function applySteps(db: Kysely<never>, steps: [string, Step][], patience: Patience): Promise<string[]> {
  await sql`create table if not exists kysely_migration
    (name varchar(255) primary key, timestamp varchar(255) not null)`.execute(db)
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db)
  const recorded = new Set(rows.map(({ name }) => name))
  const pending = steps.filter(([name]) => !recorded.has(name))
  for (const [name, step] of pending) {
    try {
      await (step.isTransaction ? applyInTransaction(db, name, step, patience) : applyOutside(db, name, step))
    } catch (error) {
      throw new Error(`${name}: ${onOneLine(error)}`, { cause: error })
    }
  }
  return pending.map(([name]) => name)
}

/**
 * Statements of others queue behind one that waits for a lock, so it gives up soon and tries again for some five minutes. An
 * autovacuum gives way after a second, Postgres's deadlock_timeout: the limit is above that.
 */
async function applyInTransaction(
  db: Kysely<never>,
  name: string,
  step: Step,
  { lockMilliseconds = 2000, pause = sleep }: Patience,
): Promise<void> {
  const apply = () =>
    db.transaction().execute(async (transaction) => {
      await sql`set local lock_timeout = ${sql.lit(lockMilliseconds)}`.execute(transaction)
      await step.run(transaction)
      await record(transaction, name)
    })
  await retrying(20, apply, pause)
}

/** Nobody queues behind a concurrent statement. It waits for every older transaction. */
async function applyOutside(db: Kysely<never>, name: string, step: Step): Promise<void> {
  await sql`set lock_timeout = '5min'`.execute(db)
  await sql`set statement_timeout = 0`.execute(db)
  try {
    await retrying(2, () => step.run(db))
    await record(db, name)
  } finally {
    await sql`reset lock_timeout`.execute(db).catch(() => {})
    await sql`reset statement_timeout`.execute(db).catch(() => {})
  }
}

async function record(db: Kysely<never>, name: string): Promise<void> {
  await sql`insert into kysely_migration (name, timestamp) values (${name}, ${new Date().toISOString()})`.execute(db)
}

const lockKey = sql.raw('3853314791062309107')
const lockMinutes = 10

/** The session's, until it ends: also that of a statement whose client is gone and which Postgres is still running. */
async function lock(db: Kysely<never>): Promise<void> {
  const deadline = performance.now() + lockMinutes * 60_000
  while (performance.now() < deadline) {
    const { rows } = await sql`select where pg_try_advisory_lock(${lockKey})`.execute(db)
    if (rows.length > 0) return
    await sleep(200)
  }
  throw new Error(`Another migration has been running for ${lockMinutes} minutes`)
}

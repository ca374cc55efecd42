import { setTimeout as sleep } from 'node:timers/promises'
import { Pool, type PoolClient } from 'pg'
import { retrying } from '../../shared/database/retrying.ts'
import { messageOf } from '../error-message.ts'
import { current, currentName } from './current.ts'
import { readFolder } from './sql-files.ts'
import { inTransaction, type Step } from './steps.ts'

const tableFiles = 'organizations people connections sources documents questions webhooks operators packs'.split(' ')

/** Once a stage has it, it is frozen. Until then, count up its number with an edit that local databases lack. */
const tables = 'tables_4'

/** Numbered changes of what is stored, in order. changes/README.md says how to write one. */
export const changes: Readonly<Record<string, readonly Step[]>> = {}

export const migrationNames: readonly string[] = [tables, ...Object.keys(changes), currentName]

/** Forbids temporary objects, JIT, and EXECUTE for PUBLIC except on the extension's functions. Every run sets it, because dumps omit it. */
const databasePrivileges = `
  create extension if not exists vector;
  do $$ begin
    execute format('revoke temporary, create on database %I from public', current_database());
    execute format('alter database %I set jit = off', current_database());
  end $$;
  alter default privileges revoke execute on functions from public`

interface Options {
  changes?: Readonly<Record<string, readonly Step[]>>
  /** The name of the data in the error that rejects an older version. */
  place?: string | undefined
  lockMilliseconds?: number
  pause?: (milliseconds: number) => Promise<unknown>
}

/**
 * Applies tables, changes and what is current, as far as they are not recorded yet, beside traffic. Ignores recorded changes that only
 * newer code has.
 * Simultaneous runs follow each other. The pool stays open.
 * @returns the names of the applied steps
 * @throws Error that names the failed step on one line; the steps before it stay applied
 */
export async function migrate(
  pool: Pool,
  { changes: numbered = changes, ...options }: Options = {},
): Promise<string[]> {
  const client = await pool.connect()
  let lost: Error | undefined
  // Without a listener, a connection that the server closes would end this process. The current statement fails anyway.
  const onError = (error: Error) => {
    lost = error
  }
  client.on('error', onError)
  try {
    await lock(client)
    return await applySteps(client, stepsOf(numbered), options)
  } finally {
    await client.query(`select pg_advisory_unlock(${lockKey})`).catch(() => {})
    client.off('error', onError)
    client.release(lost)
  }
}

/** Applies the steps to the database at a URL. */
export async function migrateAt(connectionString: string): Promise<string[]> {
  const pool = new Pool({ connectionString, max: 1 })
  // A lost connection fails the current statement, or is replaced.
  pool.on('error', () => {})
  try {
    return await migrate(pool)
  } finally {
    await pool.end()
  }
}

/** The first step of a change has the change's own name, the others end in .02, .03 … */
function stepsOf(numbered: NonNullable<Options['changes']>): [string, Step][] {
  const changing = Object.entries(numbered).flatMap(([name, steps]) =>
    steps.map((step, i): [string, Step] => [i === 0 ? name : `${name}.${`${i + 1}`.padStart(2, '0')}`, step]),
  )
  return [[tables, inTransaction(...readFolder('tables', tableFiles))], ...changing, [currentName, current]]
}

async function applySteps(client: PoolClient, steps: [string, Step][], options: Options): Promise<string[]> {
  const recorded = await recordedSteps(client, options.place)
  await client.query(databasePrivileges)
  const pending = steps.filter(([name]) => !recorded.has(name))
  for (const [name, step] of pending) {
    try {
      await (step.isTransaction ? applyInTransaction(client, name, step, options) : applyOutside(client, name, step))
    } catch (error) {
      throw new Error(`${name}: ${messageOf(error)}`, { cause: error })
    }
  }
  return pending.map(([name]) => name)
}

async function recordedSteps(client: PoolClient, place = 'this database'): Promise<ReadonlySet<string>> {
  await client.query(`create table if not exists schema_migrations
    (name text primary key, applied_at timestamptz not null default now())`)
  const { rows } = await client.query<{ name: string }>('select name from schema_migrations')
  const recorded = new Set(rows.map(({ name }) => name))
  const { rows: made } = await client.query(`select where to_regclass('organizations') is not null`)
  if (made.length > 0 && !recorded.has(tables))
    throw new Error(
      `the data in ${place} is of an older version of Cuecard: move it away or delete it, then start again`,
    )
  return recorded
}

/**
 * Other statements queue behind one that waits for a lock, so a step gives up soon and retries for about five minutes. The limit exceeds
 * Postgres's deadlock_timeout of one second, because an autovacuum yields only then.
 */
async function applyInTransaction(
  client: PoolClient,
  name: string,
  step: Step,
  { lockMilliseconds = 2000, pause = sleep }: Options,
): Promise<void> {
  const apply = async () => {
    try {
      await client.query(`begin; set local lock_timeout = ${lockMilliseconds}`)
      await step.run(client)
      await record(client, name)
      await client.query('commit')
    } catch (error) {
      await client.query('rollback').catch(() => {})
      throw error
    }
  }
  await retrying(20, apply, pause)
}

/** Other statements don't queue behind a concurrent one, although it waits for every older transaction. */
async function applyOutside(client: PoolClient, name: string, step: Step): Promise<void> {
  await client.query(`set lock_timeout = '5min'; set statement_timeout = 0`)
  try {
    await retrying(2, () => step.run(client))
    await record(client, name)
  } finally {
    await client.query('reset lock_timeout; reset statement_timeout').catch(() => {})
  }
}

async function record(client: PoolClient, name: string): Promise<void> {
  await client.query('insert into schema_migrations (name) values ($1)', [name])
}

const lockKey = '3853314791062309107'
const lockMinutes = 10

/** Polls, because a waiting statement and another run's `create index concurrently` would block each other. The session holds the lock. */
async function lock(client: PoolClient): Promise<void> {
  const deadline = performance.now() + lockMinutes * 60_000
  while (performance.now() < deadline) {
    const { rows } = await client.query(`select where pg_try_advisory_lock(${lockKey})`)
    if (rows.length > 0) return
    await sleep(200)
  }
  throw new Error(`Another migration has been running for ${lockMinutes} minutes`)
}

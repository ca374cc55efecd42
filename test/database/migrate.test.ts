import { type RawBuilder, sql } from 'kysely'
import { afterAll, describe, expect, test } from 'vitest'
import { currentName } from '../../infra/migrations/current.ts'
import { migrate } from '../../infra/migrations/migrate.ts'
import { buildIndex, inTransaction } from '../../infra/migrations/steps.ts'
import { useStand } from '../support/stand/stand.ts'
import { isOnServer } from '../support/tools/effort.ts'

const stand = useStand()

const run = async <Row>(statement: RawBuilder<Row>) => (await statement.execute(stand.db)).rows

/** Tables, and changes of the same names. */
const made: string[] = []

afterAll(async () => {
  for (const name of made) {
    await sql`drop table if exists ${sql.id(name)}`.execute(stand.db)
    await sql`delete from schema_migrations where name like ${`${name}%`}`.execute(stand.db)
  }
})

/** Makes a table for a test, with the given number of rows. @returns its name, which is also that of a change */
async function makeTable(rows = 0): Promise<string> {
  const name = `t${crypto.randomUUID().slice(0, 8)}`
  made.push(name)
  await run(
    sql`create table ${sql.id(name)} as select i as id, ${'old'} as form from generate_series(1, ${rows}::int) i`,
  )
  return name
}

async function recorded(name: string): Promise<string[]> {
  const rows = await run(sql<{ name: string }>`
    select name from schema_migrations where name like ${`${name}%`} order by name`)
  return rows.map((row) => row.name)
}

/** The table's indexes: name → true if valid. */
async function indexesOf(table: string): Promise<Record<string, boolean>> {
  const rows = await run(sql<{ name: string; valid: boolean }>`
    select indexrelid::regclass::text as name, indisvalid as valid from pg_index where indrelid = ${table}::regclass`)
  return Object.fromEntries(rows.map(({ name, valid }) => [name, valid]))
}

test('a database at the newest schema is not changed, even by two simultaneous runs', async () => {
  expect(await Promise.all([migrate(stand.pool), migrate(stand.pool)])).toEqual([[], []])
})

test('code older than the schema ignores newer changes, as a rollback needs', async () => {
  made.push('9999_newer')
  await sql`insert into schema_migrations (name) values ('9999_newer')`.execute(stand.db)
  expect(await migrate(stand.pool)).toEqual([])
  expect(await recorded('9999_newer')).toEqual(['9999_newer'])
})

test('a database of an older version is refused with instructions, and not changed', async () => {
  await sql`update schema_migrations set name = 'older' where name = 'tables_4'`.execute(stand.db)
  const refused = migrate(stand.pool, { place: '.local' })
  await expect(refused).rejects.toThrow(
    'the data in .local is of an older version of Cuecard: move it away or delete it, then start again',
  )
  expect(await recorded('tables_4')).toEqual([])
  await sql`update schema_migrations set name = 'tables_4' where name = 'older'`.execute(stand.db)
})

describe('a release whose functions, triggers, policies or grants differ from the recorded ones', () => {
  /** Everything that the release may change, by its identity in the catalogue. */
  const attached = async () =>
    await run(sql`select 'trigger' as kind, oid, tgname as name from pg_trigger where not tgisinternal
      union all select 'policy', oid, polname from pg_policy order by kind, name, oid`)
  const granted = async () =>
    await run(sql`select grantee, table_name, column_name, privilege_type from information_schema.column_privileges
      where grantee like 'cuecard_%' order by 1, 2, 3, 4`)
  const setRecorded = (from: string, to: string) =>
    run(sql`update schema_migrations set name = ${to} where name = ${from}`)

  test('applies its own, also in a rollback, and leaves triggers and policies alone that are the same', async () => {
    const before = [await attached(), await granted()]
    await setRecorded(currentName, 'current_newer')
    expect(await migrate(stand.pool)).toEqual([currentName])
    expect(await recorded('current')).toEqual([currentName])
    expect([await attached(), await granted()]).toEqual(before)
  })

  test('takes away what it does not name, and replaces what is another', async () => {
    const before = await granted()
    const names = (await attached()).map((each) => Object(each).name)
    await stand.pool.query(`
      grant select on question_log, signing_secrets to cuecard_search;
      grant select (title) on document_revisions to cuecard_search;
      grant execute on function require_operator_action to cuecard_search;
      create policy everything on signing_secrets to cuecard_search using (true);
      create trigger older after insert on documents for each row execute function keep_waiting();
      create or replace function find_key(key_hash bytea)
        returns table (id uuid, organization_id uuid, permissions text[], expires_at timestamptz, cursor_key bytea, log_questions boolean)
        language sql return (null, null, null, null, null, null);
      drop policy own on question_log;
      create policy own on question_log to cuecard_search using (true);
      drop trigger touch_document on documents`)
    await setRecorded(currentName, 'current_older')
    await migrate(stand.pool)
    expect(await granted()).toEqual(before)
    expect((await attached()).map((each) => Object(each).name)).toEqual(names)
    const [facts] = await run(sql`select
      has_function_privilege('cuecard_search', 'require_operator_action()', 'execute') as may_execute,
      (select qual from pg_policies where tablename = 'question_log' and policyname = 'own') as rows,
      (select prosecdef from pg_proc where proname = 'find_key') as has_own_rights`)
    expect(facts).toEqual({
      may_execute: false,
      rows: expect.stringContaining('organization_id'),
      has_own_rights: true,
    })
  })
})

describe('the steps of a change', () => {
  test('are applied in order and recorded, and only once by two simultaneous runs', async () => {
    const t = await makeTable(3)
    const steps = [
      inTransaction(`alter table ${t} add column code text`, `update ${t} set code = 'c' || id`),
      buildIndex(`${t}_code`, `on ${t} (code)`, { unique: true }),
      inTransaction(`alter table ${t} add unique using index ${t}_code`),
    ]
    const changes = { [t]: steps }
    const runs = await Promise.all([migrate(stand.pool, { changes }), migrate(stand.pool, { changes })])
    const names = [t, `${t}.02`, `${t}.03`]
    expect(runs.toSorted()).toEqual([[], names])
    expect(await recorded(t)).toEqual(names)
    expect(await indexesOf(t)).toEqual({ [`${t}_code`]: true })
  })

  test('stay applied before one that fails, which leaves nothing behind and is retried by the next run', async () => {
    const t = await makeTable()
    const added = inTransaction(`alter table ${t} add column code text`)
    const failing = inTransaction(`alter table ${t} add column more text`, `select\n nonsense`)
    const failure = await migrate(stand.pool, { changes: { [t]: [added, failing] } }).catch((error) => error)
    expect(failure.message).toBe(`${t}.02: column "nonsense" does not exist`)
    expect(await recorded(t)).toEqual([t])
    const repaired = inTransaction(`alter table ${t} add column more text`)
    expect(await migrate(stand.pool, { changes: { [t]: [added, repaired] } })).toEqual([`${t}.02`])
  })

  test('rebuild an index that an interrupted build left invalid', async () => {
    const t = await makeTable(3)
    await sql`update ${sql.id(t)} set form = id::text where id > 1`.execute(stand.db)
    await sql`insert into ${sql.id(t)} values (4, 'old')`.execute(stand.db)
    const changes = { [t]: [buildIndex(`${t}_form`, `on ${t} (form)`, { unique: true })] }
    await expect(migrate(stand.pool, { changes })).rejects.toThrow('could not create unique index')
    expect(await indexesOf(t)).toEqual({ [`${t}_form`]: false })
    await sql`delete from ${sql.id(t)} where id = 4`.execute(stand.db)
    expect(await migrate(stand.pool, { changes })).toEqual([t])
    expect(await indexesOf(t)).toEqual({ [`${t}_form`]: true })
  })

  test('do not change the settings of their connection', async () => {
    const t = await makeTable()
    const show = () => run(sql`select current_setting('lock_timeout') as l, current_setting('statement_timeout') as s`)
    const before = await show()
    const steps = [inTransaction('select 1'), buildIndex(`${t}_id`, `on ${t} (id)`)]
    await migrate(stand.pool, { changes: { [t]: steps } })
    expect(await show()).toEqual(before)
  })
})

describe.runIf(isOnServer)('beside a transaction that holds a lock (the embedded database has one connection)', () => {
  /** Runs `act` while a transaction that has written to the table is open. */
  async function whileWritten(table: string, act: (commit: () => Promise<unknown>) => Promise<void>): Promise<void> {
    const client = await stand.pool.connect()
    try {
      await client.query(`begin; insert into ${table} values (100, 'old')`)
      await act(() => client.query('commit'))
    } finally {
      await client.query('rollback')
      client.release()
    }
  }

  test('a step gives up soon, so that others queue only briefly, and is applied once the lock is free', async () => {
    const t = await makeTable(1)
    await whileWritten(t, async (commit) => {
      const pauses: number[] = []
      const pause = async (milliseconds: number) => {
        // The statement has left the queue: a read behind it does not wait.
        await sql`select from ${sql.id(t)}`.execute(stand.db)
        if (pauses.push(milliseconds) === 3) await commit()
      }
      const changes = { [t]: [inTransaction(`alter table ${t} add column code text`)] }
      expect(await migrate(stand.pool, { changes, lockMilliseconds: 20, pause })).toEqual([t])
      expect(pauses).toEqual([1000, 2000, 4000])
    })
  })

  test('a step that never gets its lock fails, by name, and the next run applies it', async () => {
    const t = await makeTable(1)
    const changes = { [t]: [inTransaction(`alter table ${t} add column code text`)] }
    const patience = { lockMilliseconds: 5, pause: () => Promise.resolve() }
    await whileWritten(t, async () => {
      const failure = await migrate(stand.pool, { changes, ...patience }).catch((error) => error.message)
      expect(failure).toBe(`${t}: canceling statement due to lock timeout`)
    })
    expect(await migrate(stand.pool, { changes })).toEqual([t])
  })

  test('the connection that builds an index is lost, and the next run builds it', async () => {
    const t = await makeTable(1)
    const changes = { [t]: [buildIndex(`${t}_form`, `on ${t} (form)`)] }
    await whileWritten(t, async () => {
      const failure = migrate(stand.pool, { changes }).catch((error) => error.message)
      const kill = () =>
        run(sql`select pg_terminate_backend(pid) from pg_stat_activity
          where query like ${`create%${t}%`} and wait_event_type = 'Lock'`)
      await expect.poll(kill).toHaveLength(1)
      expect(await failure).toBe(`${t}: terminating connection due to administrator command`)
    })
    expect(await indexesOf(t)).toEqual({ [`${t}_form`]: false })
    expect(await migrate(stand.pool, { changes })).toEqual([t])
    expect(await indexesOf(t)).toEqual({ [`${t}_form`]: true })
  })
})

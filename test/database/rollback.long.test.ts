import { expect, test } from 'vitest'
import { changes, migrate } from '../../infra/migrations/migrate.ts'
import { buildIndex, inTransaction } from '../../infra/migrations/steps.ts'
import { createEmptyDatabase, openPool } from '../support/database/empty-database.ts'

/** Facts that a change may remove, because the previous release no longer names them. */
const removed = new Set<string>()

/** A change as changes/README.md describes it: optional data, a constraint in two steps, and an index beside traffic. */
const rehearsed = {
  '9999_languages': [
    inTransaction(
      'alter table documents add column language text',
      `alter table documents add constraint documents_language check (language <> '') not valid`,
    ),
    inTransaction('alter table documents validate constraint documents_language'),
    buildIndex('documents_by_language', 'on documents (organization_id, language)'),
  ],
}

test('a change keeps everything that the previous release names, and requires nothing that it does not provide', async () => {
  const database = await createEmptyDatabase()
  const pool = openPool(database.url)
  const facts = async (...selects: string[]) =>
    new Set((await pool.query(selects.join(' union all '))).rows.map(({ fact }) => String(fact)))
  const columns = `from information_schema.columns where table_schema = 'public'`
  const named = () =>
    facts(
      `select table_name || '.' || column_name || ' ' || udt_name as fact ${columns}`,
      `select p.oid::regprocedure || ' ' || pg_get_function_result(p.oid) from pg_proc p where pronamespace = 'public'::regnamespace`,
      `select concat_ws(' ', grantee, privilege_type, table_name, column_name) from information_schema.column_privileges where grantee ~ '^cuecard'`,
      `select concat_ws(' ', grantee, privilege_type, table_name) from information_schema.table_privileges where grantee ~ '^cuecard'`,
      `select concat_ws(' ', grantee, routine_name) from information_schema.routine_privileges where grantee ~ '^cuecard'`,
    )
  const demanded = () =>
    facts(
      `select table_name || '.' || column_name as fact ${columns} and is_nullable = 'NO' and column_default is null`,
    )
  const tables = () => facts(`select table_name as fact ${columns}`)
  const all = Object.entries({ ...changes, ...rehearsed })
  await migrate(pool, { changes: {} })
  for (const [i, [name]] of all.entries()) {
    const before = { named: await named(), demanded: await demanded(), tables: await tables() }
    await migrate(pool, { changes: Object.fromEntries(all.slice(0, i + 1)) })
    expect([name, before.named.difference(await named()).difference(removed)]).toEqual([name, new Set()])
    const added = (await demanded()).difference(before.demanded)
    expect([name, [...added].filter((column) => before.tables.has(column.split('.')[0]!))]).toEqual([name, []])
  }
  expect((await named()).size).toBeGreaterThan(500)
  await pool.end()
  await database.drop()
})

test('the previous release reads and writes its rows before and after a change', async () => {
  const database = await createEmptyDatabase()
  const pool = openPool(database.url)
  await migrate(pool)
  await pool.query(`with organization as (insert into organizations (id, name) values (gen_random_uuid(), 'Inn') returning id)
    insert into agents (organization_id, id, name) select id, id, 'Desk' from organization`)
  const write = () =>
    pool.query(`insert into documents (organization_id, id, agent_id, title, status, managed_by)
      select organization_id, gen_random_uuid(), id, 'T', 'pending', 'client' from agents`)
  await write()
  await migrate(pool, { changes: { ...changes, ...rehearsed } })
  await write()
  await pool.query(`update documents set title = 'U'`)
  const { rows } = await pool.query('select title, language from documents')
  expect(rows).toEqual(Array(2).fill({ title: 'U', language: null }))
  await pool.end()
  await database.drop()
})

test('functions exist beside those of the same name that the previous release calls with other arguments', async () => {
  const database = await createEmptyDatabase()
  const pool = openPool(database.url)
  const names = ['packed_chunks', 'count_requests', 'find_key', 'switch_model']
  await migrate(pool)
  for (const name of names)
    await pool.query(`create function ${name}(older text) returns text language sql return older`)
  await pool.query(`delete from schema_migrations where name like 'current%'`)
  await migrate(pool)
  await pool.query('set role cuecard_dashboard')
  for (const name of names.slice(0, 2))
    expect((await pool.query(`select ${name}('still there') as said`)).rows).toEqual([{ said: 'still there' }])
  await pool.query('reset role')
  for (const name of names)
    expect((await pool.query(`select ${name}('still there') as said`)).rows).toEqual([{ said: 'still there' }])
  await pool.end()
  await database.drop()
})

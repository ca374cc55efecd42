import type { Pool } from 'pg'
import { expect, test } from 'vitest'
import { changes } from '../../infra/migrations/changes/changes.ts'
import { all, migrate } from '../../infra/migrations/migrate.ts'
import { buildIndex, inTransaction, type Step } from '../../infra/migrations/steps.ts'
import { createEmptyDatabase, openPool } from '../support/database/empty-database.ts'

type Steps = Readonly<Record<string, readonly Step[]>>

/** What a release names (columns, functions, rights), and the columns that an insert must give. */
async function factsOf(pool: Pool) {
  const columns = `from information_schema.columns where table_schema = 'public'`
  const facts = async (...selects: string[]) =>
    new Set((await pool.query(selects.join(' union all '))).rows.map(({ fact }) => String(fact)))
  return {
    named: await facts(
      `select table_name || '.' || column_name || ' ' || udt_name as fact ${columns}`,
      `select p.oid::regprocedure || ' ' || pg_get_function_result(p.oid) from pg_proc p where pronamespace = 'public'::regnamespace`,
      `select concat_ws(' ', grantee, privilege_type, table_name, column_name) from information_schema.column_privileges where grantee ~ '^cuecard'`,
      `select concat_ws(' ', grantee, routine_name) from information_schema.routine_privileges where grantee ~ '^cuecard'`,
    ),
    tables: await facts(`select table_name as fact ${columns}`),
    demanded: await facts(
      `select table_name || '.' || column_name as fact ${columns} and is_nullable = 'NO' and column_default is null`,
    ),
  }
}

/** What the change takes from the previous release, or demands of it. */
async function breaksOf(change: Steps, before: Steps = {}): Promise<string[]> {
  const database = await createEmptyDatabase()
  const pool = openPool(database.url)
  const { tables, ...rest } = all
  await migrate(pool, { migrations: { tables: tables!, ...before, ...rest } })
  const was = await factsOf(pool)
  await migrate(pool, { migrations: change })
  const is = await factsOf(pool)
  await pool.end()
  await database.drop()
  expect(was.named.size).toBeGreaterThan(500)
  const demanded = [...is.demanded.difference(was.demanded)].filter((column) => was.tables.has(column.split('.')[0]!))
  return [...was.named.difference(is.named), ...demanded]
}

test('each change keeps everything that the previous release names, and requires nothing that it does not provide', async () => {
  const names = Object.keys(changes)
  for (const [i, name] of names.entries()) {
    const before = Object.fromEntries(names.slice(0, i).map((each) => [each, changes[each]!]))
    expect([name, await breaksOf({ [name]: changes[name]! }, before)]).toEqual([name, []])
  }
})

test('a change that expands breaks nothing, and one that contracts at once is seen', async () => {
  const expanding = [
    inTransaction(`alter table documents add column language text not null default 'en'`),
    buildIndex('documents_by_language', 'on documents (organization_id, language)'),
  ]
  expect(await breaksOf({ '0001_language': expanding })).toEqual([])
  const contracting = [
    inTransaction('alter table documents drop column file_notes', 'alter table chunks add column place text not null'),
  ]
  const broken = await breaksOf({ '0001_places': contracting })
  expect(broken).toContain('documents.file_notes jsonb')
  expect(broken).toContain('chunks.place')
})

test('current functions exist beside those of the same name that the previous release calls with other arguments', async () => {
  const database = await createEmptyDatabase()
  const pool = openPool(database.url)
  await migrate(pool)
  const { rows } = await pool.query<{ name: string; roles: string[] }>(`
    select proname as name, array_agg(distinct grantee::regrole::text) as roles from pg_proc p, aclexplode(p.proacl)
    where pronamespace = 'public'::regnamespace and grantee::regrole::text ~ '^cuecard' group by proname`)
  expect(rows.length).toBeGreaterThan(20)
  for (const { name } of rows)
    await pool.query(`create function ${name}(older text, oldest text) returns text language sql return older`)
  await pool.query(`delete from schema_migrations where name like 'current-%'`)
  expect(await migrate(pool)).toEqual([expect.stringMatching(/^current-[0-9a-f]{12}$/)])
  for (const { name, roles } of rows) {
    const older = await pool.query(`select ${name}('still there', '') as said,
      has_function_privilege('${roles[0]}', '${name}(text, text)', 'execute') as may`)
    expect([name, ...older.rows]).toEqual([name, { said: 'still there', may: true }])
  }
  await pool.end()
  await database.drop()
})

test('a release takes the rights and policies that it does not name, and locks no table whose policies are the same', async () => {
  const database = await createEmptyDatabase()
  const pool = openPool(database.url)
  await migrate(pool)
  const policies = async () =>
    (await pool.query(`select polname, oid from pg_policy where polrelid <> 'chunks'::regclass order by oid`)).rows
  const before = await policies()
  await pool.query(`
    grant select on signing_secrets to cuecard_crawler;
    create policy everybody on chunks using (true);
    alter policy own on chunks using (true); comment on policy own on chunks is 'changed';
    delete from schema_migrations where name like 'current-%'`)
  await migrate(pool)
  const { rows } = await pool.query(`
    select has_table_privilege('cuecard_crawler', 'signing_secrets', 'select') as may,
      (select string_agg(polname, ' ' order by polname) from pg_policy where polrelid = 'chunks'::regclass) as policies,
      (select pg_get_expr(polqual, polrelid) from pg_policy where polrelid = 'chunks'::regclass and polname = 'own') as own`)
  expect(rows).toEqual([
    {
      may: false,
      policies: 'operator_changes operator_reads own',
      own: expect.stringContaining('cuecard.organization_id'),
    },
  ])
  expect(await policies()).toEqual(before)
  await pool.end()
  await database.drop()
})

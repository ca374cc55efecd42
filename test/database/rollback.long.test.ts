import type { Pool } from 'pg'
import { expect, test } from 'vitest'
import { all, migrate } from '../../infra/migrations/migrate.ts'
import { createEmptyDatabase, openPool } from '../support/database/empty-database.ts'

/** Facts that a migration may remove, because the previous release no longer names them. */
const removed = new Set<string>()

test('a migration keeps everything that the previous release names, and requires nothing that it does not provide', async () => {
  const database = await createEmptyDatabase()
  const pool = openPool(database.url)
  const facts = async (...selects: string[]) =>
    new Set((await pool.query(selects.join(' union all '))).rows.map(({ fact }) => String(fact)))
  const columns = `from information_schema.columns where table_schema = 'public'`
  let [named, demanded, tables] = [new Set<string>(), new Set<string>(), new Set<string>()]
  for (const [i, [name]] of Object.entries(all).entries()) {
    await migrate(pool, { migrations: Object.fromEntries(Object.entries(all).slice(0, i + 1)) })
    const nowNamed = await facts(
      `select table_name || '.' || column_name || ' ' || udt_name as fact ${columns}`,
      `select p.oid::regprocedure || ' ' || pg_get_function_result(p.oid) from pg_proc p where pronamespace = 'public'::regnamespace`,
      `select concat_ws(' ', grantee, privilege_type, table_name, column_name) from information_schema.column_privileges where grantee ~ '^cuecard'`,
      `select concat_ws(' ', grantee, privilege_type, table_name) from information_schema.table_privileges where grantee ~ '^cuecard'`,
      `select concat_ws(' ', grantee, routine_name) from information_schema.routine_privileges where grantee ~ '^cuecard'`,
    )
    const nowDemanded = await facts(
      `select table_name || '.' || column_name as fact ${columns} and is_nullable = 'NO' and column_default is null`,
    )
    expect([name, named.difference(nowNamed).difference(removed)]).toEqual([name, new Set()])
    const added = [...nowDemanded.difference(demanded)].filter((column) => tables.has(column.split('.')[0]!))
    expect([name, added]).toEqual([name, []])
    named = nowNamed
    demanded = nowDemanded
    tables = await facts(`select table_name as fact ${columns}`)
  }
  expect(named.size).toBeGreaterThan(500)
  await pool.end()
  await database.drop()
})

test('functions of search exist beside those of the same name that the previous release calls with other arguments', async () => {
  const databases = [await createEmptyDatabase(), await createEmptyDatabase()]
  // The newest migration that changes search applies all of it.
  const newest = Object.keys(all).indexOf('0017_forgotten_calls')
  const [whole, before] = databases.map(({ url }) => openPool(url)) as [Pool, Pool]
  const functionsOf = async (pool: Pool) => {
    const { rows } = await pool.query(
      `select distinct proname as name from pg_proc where pronamespace = 'public'::regnamespace`,
    )
    return new Set(rows.map(({ name }) => String(name)))
  }
  await migrate(whole)
  await migrate(before, { migrations: Object.fromEntries(Object.entries(all).slice(0, newest)) })
  const ofSearch = [...(await functionsOf(whole)).difference(await functionsOf(before))]
  expect(ofSearch.length).toBeGreaterThan(20)
  for (const name of ofSearch)
    await before.query(`create function ${name}(older text) returns text language sql return older`)
  await migrate(before)
  for (const name of ofSearch)
    expect((await before.query(`select ${name}('still there') as said`)).rows).toEqual([{ said: 'still there' }])
  for (const pool of [whole, before]) await pool.end()
  for (const database of databases) await database.drop()
})

test('documents of the previous release are not in the trash, and can be moved there', async () => {
  const database = await createEmptyDatabase()
  const pool = openPool(database.url)
  const before = Object.entries(all).filter(([name]) => name < '0014')
  await migrate(pool, { migrations: Object.fromEntries(before) })
  await pool.query(`with organization as (insert into organizations (id, name) values (gen_random_uuid(), 'Inn') returning id),
    agent as (insert into agents (organization_id, id, name) select id, id, 'Desk' from organization returning organization_id, id)
    insert into documents (organization_id, id, agent_id, title, status, managed_by)
    select organization_id, gen_random_uuid(), id, 'T', 'pending', 'client' from agent`)
  await migrate(pool)
  const { rows } =
    await pool.query(`update documents set deleted_at = now(), before_deletion = '{}', status = 'completed'
    where deleted_at is null returning title`)
  expect(rows).toEqual([{ title: 'T' }])
  await pool.end()
  await database.drop()
})

test('a database that remembered calls forgets them', async () => {
  const database = await createEmptyDatabase()
  const pool = openPool(database.url)
  const forgotten = '0017_forgotten_calls'
  await migrate(pool)
  await pool.query(`
    alter type question add attribute seen text[], add attribute call_id text, add attribute turn uuid, add attribute said jsonb,
      add attribute recalls boolean, add attribute given integer, add attribute min_score float8;
    create unlogged table call_turns (organization_id uuid, agent_id uuid,
      foreign key (organization_id, agent_id) references agents (organization_id, id) on delete cascade);
    create function with_remembered_turns(asked question) returns question language sql return asked;
    create function remember_turn(asked question, chunks uuid[]) returns void language sql as '';
    delete from schema_migrations where name like '${forgotten}%'`)
  expect(await migrate(pool)).toEqual([forgotten, `${forgotten}.02`])
  const { rows } = await pool.query(`
    select attname as name from pg_attribute where attrelid = 'question'::regclass and attname in ('seen', 'call_id', 'min_score')
    union all select relname from pg_class where relname = 'call_turns'
    union all select proname from pg_proc where proname in ('with_remembered_turns', 'remember_turn')`)
  expect(rows).toEqual([])
  const search = `select is_agent from answers(jsonb_populate_record(null::question, '{"mode": "keyword"}'))`
  expect((await pool.query(search)).rows).toEqual([{ is_agent: false }])
  await pool.end()
  await database.drop()
})

test('questions of the previous release have the status that follows from their hits and `answerable`', async () => {
  const database = await createEmptyDatabase()
  const pool = openPool(database.url)
  const before = Object.entries(all).filter(([name]) => name < '0019')
  await migrate(pool, { migrations: Object.fromEntries(before) })
  await pool.query(`with organization as (
      insert into organizations (id, name, log_questions) values (gen_random_uuid(), 'Inn', true) returning id),
    agent as (insert into agents (organization_id, id, name) select id, id, 'Desk' from organization)
    select from organization`)
  const keep = (answerable: number, hits: object[] = [{}]) =>
    pool.query(
      `insert into question_log (organization_id, agent_id, id, question, mode, is_degraded, hits, answerable, milliseconds)
      select id, id, gen_random_uuid(), 'Where?', 'hybrid', false, $1, $2, 1 from organizations`,
      [JSON.stringify(hits), answerable],
    )
  for (const answerable of [0.149, 0.15, 0.499, 0.5]) await keep(answerable)
  await keep(0.9, [])
  await migrate(pool)
  const statuses = async () =>
    (await pool.query(`select status from question_log order by asked_at, answerable`)).rows.map(({ status }) => status)
  expect((await statuses()).sort()).toEqual(['found', 'nothing', 'nothing', 'uncertain', 'uncertain'])
  // The previous release still runs.
  await keep(0.9)
  expect((await statuses()).sort()).toEqual(['found', 'nothing', 'nothing', 'uncertain', 'uncertain', 'uncertain'])
  await pool.end()
  await database.drop()
})

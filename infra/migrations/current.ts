import { createHash } from 'node:crypto'
import { type ClientBase, escapeIdentifier, escapeLiteral } from 'pg'
import { functions, tables } from './access.ts'
import { type Attached, createRoles, grants, policies } from './grants.ts'
import { readFolder } from './sql-files.ts'
import type { Step } from './steps.ts'

const files = readFolder('current')

const beforeTrigger = '\ncreate or replace trigger '
const triggers = files.flatMap((sql) => sql.split(beforeTrigger).slice(1).map(toTrigger))
const functionFiles = files.map((sql) => {
  const [first, ...others] = sql.split(beforeTrigger)
  return [first, ...others.map((text) => text.slice(text.indexOf(';') + 1))].join('')
})
const attached = [...triggers, ...policies]

/** @param text a file from a trigger's name on */
function toTrigger(text: string): Attached {
  const definition = text.slice(0, text.indexOf(';'))
  const words = definition.split(/\s+/)
  const statement = `create or replace trigger ${definition}`
  return { kind: 'trigger', name: words[0]!, table: words[words.indexOf('on') + 1]!, statement }
}

const contents = JSON.stringify({ createRoles, functionFiles, attached, tables, functions })

/** What `current/` and access.ts have is applied if a database records another name. */
export const currentName = `current_${createHash('sha256').update(contents).digest('hex').slice(0, 12)}`

/** Replaces functions, triggers, policies and grants by those of this release, and the record of an earlier one. */
export const current: Step = {
  isTransaction: true,
  async run(client) {
    await client.query(createRoles)
    for (const sql of functionFiles) await client.query(sql)
    await client.query(secureTables)
    for (const statement of await changesOf(client)) await client.query(statement)
    for (const statement of grants(await signaturesOf(client))) await client.query(statement)
    await client.query(`delete from schema_migrations where name like 'current\\_%'`)
  },
}

/** Row-level security hides the rows of a table without policies. */
const secureTables = `
  do $$ declare
    t regclass;
  begin
    for t in select oid from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' and not relrowsecurity loop
      execute format('alter table %s enable row level security', t);
    end loop;
  end $$`

/** Replaces only triggers and policies with another statement, which a comment keeps, because each replacement locks a table. */
async function changesOf(client: ClientBase): Promise<string[]> {
  const { rows: found } = await client.query<Attached>(`
    select 'trigger' as kind, tgname as name, relname as table, obj_description(t.oid, 'pg_trigger') as statement
      from pg_trigger t join pg_class c on c.oid = tgrelid
      where relnamespace = 'public'::regnamespace and not tgisinternal
    union all select 'policy', polname, relname, obj_description(p.oid, 'pg_policy')
      from pg_policy p join pg_class c on c.oid = polrelid where relnamespace = 'public'::regnamespace`)
  const has = (all: readonly Attached[], { kind, name, table, statement }: Attached) =>
    all.some((each) => each.kind === kind && each.name === name && each.table === table && each.statement === statement)
  const changed = attached.filter((each) => !has(found, each))
  return [
    ...found.filter((each) => !has(attached, each)).map((each) => `drop ${toName(each)}`),
    ...changed.flatMap((each) => [each.statement, `comment on ${toName(each)} is ${escapeLiteral(each.statement)}`]),
  ]
}

function toName({ kind, name, table }: Attached): string {
  return `${kind} ${escapeIdentifier(name)} on ${escapeIdentifier(table)}`
}

/** The schema's functions, without those of extensions: name → signatures. */
async function signaturesOf(client: ClientBase): Promise<Map<string, string[]>> {
  const { rows } = await client.query<{ name: string; signature: string }>(`
    select proname as name, p.oid::regprocedure::text as signature from pg_proc p
    where pronamespace = 'public'::regnamespace
      and not exists (select from pg_depend where classid = 'pg_proc'::regclass and objid = p.oid and deptype = 'e')`)
  const signatures = Map.groupBy(rows, ({ name }) => name)
  return new Map([...signatures].map(([name, all]) => [name, all.map(({ signature }) => signature)]))
}

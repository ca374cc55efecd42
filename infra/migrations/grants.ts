import { type ClientBase, escapeLiteral, escapeIdentifier as id } from 'pg'
import { access, type Rule, rulesOf } from './access.ts'

const entered = `(select nullif(current_setting('cuecard.organization_id', true), '')::uuid)`
const isOpen = '(select require_operator_action())'

interface Policy {
  table: string
  name: string
  /** What follows `on table` in `create policy`. */
  definition: string
}

/** Policies that say more than whose rows. The call service writes calls: its roles are not ours to restrict. */
const exceptions: readonly [table: string, name: string, definition: string][] = [
  ['calls', 'every_writer', 'using (true)'],
  ['calls', 'own', `as restrictive to cuecard_dashboard using (organization_id = ${entered})`],
  ['calls', 'operator_updates', `as restrictive for update to cuecard_operator using (${isOpen})`],
  ['calls', 'operator_deletes', `as restrictive for delete to cuecard_operator using (${isOpen})`],
  [
    'documents',
    'own_files',
    `to cuecard_extraction using (organization_id = ${entered} and source_url is not null)
      with check (organization_id = ${entered} and source_url is not null and status <> 'completed')`,
  ],
  [
    'people',
    'of_members',
    `for select to cuecard_dashboard, cuecard_documents
      using (exists (select from memberships m where m.person_id = people.id and m.organization_id = ${entered}))`,
  ],
  // The database sets login and time. Whoever acts sets the outcome of own actions only, and only once.
  [
    'operator_actions',
    'own_recorded',
    `for insert to cuecard_dashboard
      with check (organization_id = ${entered} and login = session_user and outcome = 'done')`,
  ],
  ['operator_actions', 'own_counted', `for select to cuecard_dashboard using (organization_id = ${entered})`],
  ['operator_actions', 'operator_reads', 'for select to cuecard_operator using (true)'],
  [
    'operator_actions',
    'operator_begins',
    'for insert to cuecard_operator with check (login = session_user and outcome is null)',
  ],
  [
    'operator_actions',
    'operator_ends',
    `for update to cuecard_operator using (login = session_user and outcome is null) with check (outcome is not null)`,
  ],
]

const rules = rulesOf(access)
const roles = [...new Set(rules.flatMap((rule) => rule.roles))].sort()
const rolesOf = (names: readonly string[]) => names.map((name) => `cuecard_${name}`).join(', ')

/** The rights of this release. */
export const rights = {
  roles: roles.map(createRole),
  grants: [
    'revoke create on schema public from public',
    `grant usage on schema public to ${rolesOf(roles)}`,
    `revoke all on all tables in schema public from ${rolesOf(roles)}`,
    `revoke all on all functions in schema public from ${rolesOf(roles)}`,
    ...rules.flatMap(grantsOf),
  ],
  policies: policiesOf(),
}

/** Gives each role exactly these rights. Runs in the caller's transaction, so that no right is missing meanwhile. */
export async function grantAccess(client: ClientBase): Promise<void> {
  for (const statement of [...rights.roles, ...rights.grants]) await client.query(statement)
  await secureRows(client, rights.policies)
}

/** Roles are groups without a login. They belong to the cluster, so another database of the server may have created one. */
function createRole(role: string): string {
  return `do $$ begin
    create role cuecard_${role} nologin;
  exception when duplicate_object or unique_violation then
    null;
  end $$`
}

/** Functions have any arguments, because the previous release's code may call one with others. */
function grantsOf({ table, rules: actions, roles, names }: Rule): string[] {
  const [first] = actions
  if (first === 'own' || first === 'every') return []
  if (first === 'execute')
    return [
      `do $$ declare each regprocedure; begin
        for each in select oid from pg_proc
          where pronamespace = 'public'::regnamespace and proname in (${names.map(escapeLiteral).join(', ')})
        loop execute format('grant execute on function %s to ${rolesOf(roles)}', each); end loop;
      end $$`,
    ]
  const columns = names.length > 0 ? ` (${names.join(', ')})` : ''
  return actions.map((action) => `grant ${action}${columns} on ${table} to ${rolesOf(roles)}`)
}

function policiesOf(): Policy[] {
  const known = new Set(['calls', 'operator_actions', 'functions'])
  const ofOperators = rules.filter(({ table, roles }) => roles.includes('operator') && !known.has(table))
  return [
    ...rules.flatMap(({ table, rules: [kind], roles }) => {
      const column = table === 'organizations' ? 'id' : 'organization_id'
      if (kind === 'own')
        return { table, name: kind, definition: `to ${rolesOf(roles)} using (${column} = ${entered})` }
      return kind === 'every' ? { table, name: kind, definition: `to ${rolesOf(roles)} using (true)` } : []
    }),
    ...[...Map.groupBy(ofOperators, ({ table }) => table)].flatMap(([table, own]) => {
      const changes = { table, name: 'operator_changes', definition: `to cuecard_operator using (${isOpen})` }
      const reads = { table, name: 'operator_reads', definition: 'for select to cuecard_operator using (true)' }
      return own.every((rule) => `${rule.rules}` === 'select') ? [reads] : [reads, changes]
    }),
    ...exceptions.map(([table, name, definition]) => ({ table, name, definition })),
  ]
}

/** Changes only what differs, because each change of a policy locks its table. A policy's comment is the definition that made it. */
async function secureRows(client: ClientBase, policies: readonly Policy[]): Promise<void> {
  const { rows: unsecured } = await client.query<{ name: string }>(`select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'r' and not relrowsecurity`)
  for (const { name } of unsecured) await client.query(`alter table ${id(name)} enable row level security`)
  const { rows: made } = await client.query<Policy>(`
    select c.relname as table, p.polname as name, coalesce(obj_description(p.oid, 'pg_policy'), '') as definition
    from pg_policy p join pg_class c on c.oid = p.polrelid where c.relnamespace = 'public'::regnamespace`)
  const keyOf = ({ table, name, definition }: Policy) => `${table} ${name} ${definition}`
  const wanted = new Set(policies.map(keyOf))
  const kept = new Set(made.map(keyOf).filter((key) => wanted.has(key)))
  for (const policy of made.filter((each) => !kept.has(keyOf(each))))
    await client.query(`drop policy ${policy.name} on ${policy.table}`)
  for (const policy of policies.filter((each) => !kept.has(keyOf(each))))
    await client.query(`create policy ${policy.name} on ${policy.table} ${policy.definition};
      comment on policy ${policy.name} on ${policy.table} is ${escapeLiteral(policy.definition)}`)
}

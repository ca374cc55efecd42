import { audited, functions, own, roles, tables } from './access.ts'

/** What stands on a table, and the statement that makes it. */
export interface Attached {
  readonly kind: 'policy' | 'trigger'
  readonly name: string
  readonly table: string
  readonly statement: string
}

const isPolicy = ([key]: [string, string]) => key.startsWith('policy ')

/** @param names such as `mcp search` @throws Error if access.ts has no such role */
function grantees(names: string): string {
  const each = names.split(' ')
  for (const name of each) if (!roles.includes(name)) throw new Error(`access.ts has no role ${name}`)
  return each.map((name) => `cuecard_${name}`).join(', ')
}

const everybody = grantees(roles.join(' '))

/** Makes missing roles. They belong to the cluster, so another database of the server may have made them. */
export const createRoles = `
  do $$ declare
    name text;
  begin
    foreach name in array string_to_array('${everybody}', ', ') loop
      begin
        execute format('create role %I nologin', name);
      exception when duplicate_object or unique_violation then
        null;
      end;
    end loop;
  end $$;
  revoke create on schema public from public;
  grant usage on schema public to ${everybody}`

/** The rows that each role sees; none of a table without a policy for it. */
export const policies: readonly Attached[] = Object.entries(tables).flatMap(([table, { every, ...access }]) => {
  const special = Object.entries(access).filter(isPolicy)
  const exceptional = special.flatMap(([, rows]) => rolesOf(rows)).concat(every?.split(' ') ?? [])
  const granted = Object.keys(access).filter((key) => !key.startsWith('policy '))
  const others = new Set(granted.flatMap((names) => names.split(' '))).difference(new Set(exceptional))
  const isOperated = others.delete('operator')
  const rows: [name: string, rows: string][] = special.map(([key, rows]) => [key.replace('policy ', ''), rows])
  if (every) rows.push(['every', `to ${every} using (true)`])
  if (others.size > 0) rows.push(['own', `to ${[...others].join(' ')} using (${ownRows(table)})`])
  if (isOperated)
    rows.push(
      ['operator_reads', 'for select to operator using (true)'],
      ['operator_changes', `to operator using (${audited})`],
    )
  return rows.map(([name, rows]) => ({ kind: 'policy', name, table, statement: createPolicy(name, table, rows) }))
})

/** The roles of a policy, such as `mcp` and `search` in `for select to mcp search using (true)`. */
function rolesOf(rows: string): string[] {
  const words = rows.slice(0, rows.indexOf('(')).split(/\s+/)
  const before = words.indexOf('to')
  return before < 0 ? [] : words.slice(before + 1).filter((word) => !['', 'using', 'with', 'check'].includes(word))
}

function createPolicy(name: string, table: string, rows: string): string {
  const names = rolesOf(rows).join(' ')
  return `create policy ${name} on ${table} ${names ? rows.replace(`to ${names}`, `to ${grantees(names)}`) : rows}`
}

function ownRows(table: string): string {
  return table === 'organizations' ? own.replace('organization_id', 'id') : own
}

/**
 * The statements that grant what access.ts names, and nothing else.
 * @param signatures the schema's functions: name → signatures
 * @throws Error if access.ts names a function that does not exist
 */
export function grants(signatures: ReadonlyMap<string, readonly string[]>): string[] {
  const onTables = Object.entries(tables).flatMap(([table, { every: _, ...access }]) =>
    Object.entries(access)
      .filter((entry) => !isPolicy(entry))
      .map(([names, privileges]) => `grant ${privileges} on ${table} to ${grantees(names)}`),
  )
  const onFunctions = Object.entries(functions).flatMap(([names, to]) =>
    names.split(/\s+/).map((name) => {
      const found = signatures.get(name)
      if (!found) throw new Error(`access.ts names the function ${name}, which does not exist`)
      return `grant execute on function ${found.join(', ')} to ${grantees(to)}`
    }),
  )
  return [
    `revoke all on all tables in schema public from ${everybody}`,
    `revoke all on function ${[...signatures.values()].flat().join(', ')} from ${everybody}`,
    ...onTables,
    ...onFunctions,
  ]
}

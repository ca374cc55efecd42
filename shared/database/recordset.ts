import { type AliasedRawBuilder, sql } from 'kysely'

interface SqlTypes {
  uuid: string
  int: number
  'int[]': number[]
  text: string
  boolean: boolean
  float8: number
  bytea: Buffer
  jsonb: string
  timestamptz: Date
}

/** Rows as `jsonb_to_recordset($1::jsonb) as "alias"("column" type, …)`, sent as one JSON parameter; a missing column is null. A bytea is `\x…` in hex. */
export function recordset<Alias extends string, const Columns extends Record<string, keyof SqlTypes>>(
  alias: Alias,
  columns: Columns,
  rows: readonly { readonly [C in keyof Columns]?: unknown }[],
): AliasedRawBuilder<{ [C in keyof Columns]: SqlTypes[Columns[C]] }, Alias> {
  const definitions = Object.entries(columns).map(([name, type]) => sql`${sql.ref(name)} ${sql.raw(type)}`)
  return sql<{
    [C in keyof Columns]: SqlTypes[Columns[C]]
  }>`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)`.as<Alias>(sql`${sql.ref(alias)}(${sql.join(definitions)})`)
}

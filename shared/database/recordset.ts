import { type AliasedRawBuilder, sql } from 'kysely'

/** The types of Postgres that a recordset's columns may have, and what they are to Kysely. */
interface SqlTypes {
  uuid: string
  int: number
  text: string
  bytea: Buffer
  jsonb: string
  timestamptz: Date
}

/**
 * Rows as a table expression, sent as one JSON parameter:
 * `jsonb_to_recordset($1::jsonb) as "vectors"("hash" bytea, "embedding" text)`. A bytea is written `\x…` in hex.
 */
export function recordset<Alias extends string, const Columns extends Record<string, keyof SqlTypes>>(
  alias: Alias,
  columns: Columns,
  rows: readonly Readonly<Record<keyof Columns, unknown>>[],
): AliasedRawBuilder<{ [C in keyof Columns]: SqlTypes[Columns[C]] }, Alias> {
  const definitions = Object.entries(columns).map(([name, type]) => sql`${sql.ref(name)} ${sql.raw(type)}`)
  return sql<{
    [C in keyof Columns]: SqlTypes[Columns[C]]
  }>`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)`.as<Alias>(sql`${sql.ref(alias)}(${sql.join(definitions)})`)
}

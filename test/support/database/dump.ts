import type { Pool } from 'pg'

/** Every row of every table, as its owner sees it, in Postgres's own words; not of the unlogged one, which counts requests. */
export async function dumpOf(pool: Pool): Promise<Record<string, string[]>> {
  const { rows: tables } = await pool.query<{ name: string }>(
    `select quote_ident(relname) as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and relpersistence = 'p' order by 1`,
  )
  const dump: Record<string, string[]> = {}
  for (const { name } of tables) {
    const { rows } = await pool.query<{ row: string }>(`select t::text as row from ${name} t order by 1`)
    dump[name] = rows.map(({ row }) => row)
  }
  return dump
}

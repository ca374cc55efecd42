import type { Pool } from 'pg'
import { beforeAll } from 'vitest'

/** A value for each table that changes with every insert, update or delete of a row. */
type Stamps = Record<string, string>

const savedSchema = 'fuzz_saved'
/** The embedded database does not clean up by itself. */
const restoresPerVacuum = 50

/** Watches every row of every table except the unlogged ones, which only count, and can restore all rows. */
export async function watchRows(pool: Pool) {
  const { rows: tables } = await pool.query<{ name: string; columns: string }>(`
    select quote_ident(relname) as name, string_agg(quote_ident(attname), ',') as columns
    from pg_class join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped and attgenerated = ''
    where relnamespace = 'public'::regnamespace and relkind = 'r' and relpersistence = 'p'
    group by relname order by relname`)
  await pool.query(`drop schema if exists ${savedSchema} cascade`)
  await pool.query(`create schema ${savedSchema}`)
  for (const { name, columns } of tables)
    await pool.query(`create table ${savedSchema}.${name} as select ${columns} from ${name}`)
  const stamping = tables
    .map(
      ({ name }) =>
        `select '${name}' as name, concat(count(*), ' ', sum(hashtextextended(concat(ctid, ' ', xmin), 0))) as stamp from ${name}`,
    )
    .join(' union all ')
  let restores = 0

  async function stamps(): Promise<Stamps> {
    const { rows } = await pool.query<{ name: string; stamp: string }>(stamping)
    return Object.fromEntries(rows.map(({ name, stamp }) => [name, stamp]))
  }

  return {
    stamps,
    /** Bypasses triggers and constraints, because the rows passed them before. */
    async restore(changed: string[]): Promise<Stamps> {
      const wanted = tables.filter(({ name }) => changed.includes(name))
      const client = await pool.connect()
      try {
        await client.query('begin')
        await client.query('set local session_replication_role = replica')
        for (const { name, columns } of wanted) {
          await client.query(`delete from ${name}`)
          await client.query(
            `insert into ${name} (${columns}) overriding system value select ${columns} from ${savedSchema}.${name}`,
          )
        }
        await client.query('commit')
      } finally {
        client.release()
      }
      if (++restores % restoresPerVacuum === 0) for (const { name } of tables) await pool.query(`vacuum ${name}`)
      return await stamps()
    },
  }
}

/** The tables whose rows differ. */
export function changedTables(before: Stamps, after: Stamps): string[] {
  return Object.keys(after).filter((name) => before[name] !== after[name])
}

/** Watches the rows from the first test: tells which tables have changed, and restores them. */
export function useRows(pool: () => Pool) {
  let rows: Awaited<ReturnType<typeof watchRows>>
  let original: Stamps
  beforeAll(async () => {
    rows = await watchRows(pool())
    original = await rows.stamps()
  })
  const changed = async () => changedTables(original, await rows.stamps())
  return {
    changed,
    async restore(): Promise<void> {
      const tables = await changed()
      if (tables.length > 0) original = await rows.restore(tables)
    },
  }
}

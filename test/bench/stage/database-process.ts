import { openDatabase } from '../../../infra/local/database/database.ts'
import { migrate } from '../../../infra/migrations/migrate.ts'
import { listenPglite } from './pglite-listener.ts'

export interface Query {
  id: number
  text: string
  values: unknown[]
}
export type Reply = { id: number; rows: Record<string, string | null>[] } | { id: number; error: string }

// The process of a database for one contestant: what it computes is not counted as theirs. Arguments: `ours` for one that is
// migrated and speaks Neon's SQL over HTTP, on the scratch database of a server whose URL follows, else embedded; `peers` for an
// empty embedded one that speaks Postgres's protocol.
const [owner, url] = process.argv.slice(2)
const send = (message: { url: string } | Reply) => process.send?.(message)

if (owner === 'ours') {
  const {
    pool,
    url: address,
    makeLogins,
  } = await openDatabase({ url, pooler: process.env.DATABASE_POOLER, rate: null })
  await migrate(pool)
  await makeLogins()
  process.on('message', async ({ id, text, values }: Query) => {
    try {
      const { rows } = await pool.query(text, values)
      send({ id, rows })
    } catch (error) {
      send({ id, error: String(error) })
    }
  })
  send({ url: address })
} else {
  send({ url: await listenPglite() })
}
process.once('disconnect', () => process.exit())

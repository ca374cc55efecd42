import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { PGlite } from '@electric-sql/pglite'
import { vector } from '@electric-sql/pglite-pgvector'
import { type ClientConfig, Pool, type PoolConfig } from 'pg'
import { passwordCheck } from '../../../infra/local/database/logins.ts'
import { startNeonEndpoint } from '../../../infra/local/database/neon-endpoint.ts'
import { pgliteWire } from '../../../infra/local/database/pglite-wire.ts'
import { createScratchDatabase } from '../../../infra/local/database/scratch-database.ts'
import { pgliteSessions } from '../../../infra/local/database/sessions.ts'

/** An empty database that listens on TCP: on the server of DATABASE_URL, or embedded. `url` takes one connection at a time. */
export async function createEmptyDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  const { DATABASE_URL: server } = process.env
  if (server) return await createScratchDatabase(server)
  const pglite = await PGlite.create({ extensions: { vector } })
  const listener = createServer((socket) => socket.pipe(pgliteWire(pglite)).pipe(socket))
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  return {
    url: `postgres://postgres@127.0.0.1:${(listener.address() as AddressInfo).port}/postgres`,
    async drop() {
      listener.close()
      await pglite.close()
    },
  }
}

/** A pool of one session at a URL. A session whose database is dropped may get that error after the pool has ended, so it is not thrown. */
export function openPool(connectionString: string, options: PoolConfig = {}): Pool {
  const pool = new Pool({ connectionString, max: 1, ...options })
  pool.on('error', () => {})
  return pool
}

const asText = { getTypeParser: () => (value: string) => value } as ClientConfig['types']

/** An empty database that its owner reaches at `url` over TCP and, as everybody, at `endpoint` as at Neon's. */
export async function serveEmptyDatabase() {
  const { url, drop } = await createEmptyDatabase()
  const pool = openPool(url, { types: asText })
  const owner = Object.assign(new URL(url), { password: 'local' })
  const isRight = passwordCheck(pool, { user: owner.username, password: owner.password, database: '' })
  const { port, close } = await startNeonEndpoint({ ...pgliteSessions(pool), isRight })
  return {
    url: owner.href,
    endpoint: `http://127.0.0.1:${port}`,
    pool,
    async close() {
      await close()
      await pool.end()
      await drop()
    },
  }
}

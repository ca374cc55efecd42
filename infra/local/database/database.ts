import { existsSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { auto_explain } from '@electric-sql/pglite/contrib/auto_explain'
import { vector } from '@electric-sql/pglite-pgvector'
import { Client, type ClientConfig, Pool } from 'pg'
import type { Size } from '../../../shared/limits/leaky-bucket.ts'
import { lockDirectory } from '../../data-directory/lock.ts'
import { messageOf } from '../../error-message.ts'
import { isPostgresUrl } from '../../postgres-url.ts'
import { makeLogins, passwordCheck } from './logins.ts'
import { startNeonEndpoint } from './neon-endpoint.ts'
import type { Traffic } from './neon-sql.ts'
import { type Health, pgliteWire } from './pglite-wire.ts'
import { type Login, pgliteSessions, type Sessions, serverSessions } from './sessions.ts'

export interface LocalDatabase {
  /** The owner's URL. */
  url: string
  endpoint: string
  /** The owner's sessions, which bypass the endpoint. */
  pool: Pool
  traffic: Traffic
  /** Makes a login for each role of the migrated schema. `urlOfRole` returns its URL. */
  makeLogins(): Promise<void>
  close(): Promise<void>
}

/** Reads every value of the owner's sessions as Postgres text. */
const asText = { getTypeParser: () => (value: string) => value } as ClientConfig['types']

interface DatabaseOptions {
  url?: string | undefined
  /** A pooler in front of the server, for the endpoint's sessions. */
  pooler?: string | undefined
  /** The directory, which is locked while in use. Without it, the database is in memory. */
  dataDir?: string | undefined
  /** The dump of a PGlite data directory to start from, which is many times faster than an empty database. */
  image?: string | undefined
  /** The endpoint's rate limit, by default Neon's; null for none. */
  rate?: Size | null | undefined
  /** Called once when the embedded database cannot continue. Every later connection to it fails. */
  onPanic?: ((panic: Error) => void) | undefined
}

/** proxy.rs, endpoint_rps_limit. */
const neonRate: Size = { perSecond: 200, burst: 500 }

/** @throws Error on one line if `dataDir` is in use or the server is not available */
export async function openDatabase({
  url,
  dataDir,
  rate = neonRate,
  ...options
}: DatabaseOptions): Promise<LocalDatabase> {
  const unlock = dataDir === undefined ? undefined : await lockDirectory(dataDir)
  try {
    const postgres = dataDir && join(dataDir, 'postgres')
    const opened = url === undefined ? await openPglite(postgres, options) : await openServer(url, options)
    const { pool, owner } = opened
    const backend = { ...opened.sessions, isRight: passwordCheck(pool, owner) }
    const { port, traffic, close } = await startNeonEndpoint(backend, rate ?? undefined)
    const neonUrl = new URL(`postgres://127.0.0.1:${port}`)
    Object.assign(neonUrl, { username: owner.user, password: owner.password, pathname: owner.database })
    return {
      url: neonUrl.href,
      endpoint: `http://127.0.0.1:${port}`,
      pool,
      traffic,
      makeLogins: () => makeLogins(pool, owner.password),
      async close() {
        await close()
        await opened.sessions.close()
        await opened.close()
        await unlock?.()
      },
    }
  } catch (error) {
    await unlock?.()
    throw error
  }
}

interface Opened {
  pool: Pool
  sessions: Sessions
  owner: Login
  close(): Promise<void>
}

/** The owner's password for the embedded database and for servers that need none, because Neon's proxy requires one. */
const anyPassword = 'local'

async function openPglite(dataDir: string | undefined, { image, onPanic }: DatabaseOptions): Promise<Opened> {
  // PGlite takes a directory with a PG_VERSION for a database, but creates that file before the last ones.
  const ready = dataDir && join(dataDir, 'ready')
  if (ready && !existsSync(ready)) await rm(dataDir, { recursive: true, force: true })
  const loadDataDir = image && new Blob([await readFile(image)])
  // PGlite fills all buffers with zeros when it starts. Pages in the operating system's cache are as fast to read.
  const startParams = [...PGlite.defaultStartParams, '-c', 'shared_buffers=32MB']
  const start = { dataDir, startParams, extensions: { vector, auto_explain }, ...(loadDataDir && { loadDataDir }) }
  const pglite = await PGlite.create({ ...start, relaxedDurability: false })
  if (ready) await writeFile(ready, '')
  const [user, database] = ['postgres', 'postgres']
  // A pool of one is the mutex, because PGlite is a single backend whose clients must not interleave.
  const health: Health = onPanic ? { onPanic } : {}
  const stream = () => pgliteWire(pglite, health)
  const pool = new Pool({ stream, user, database, types: asText, max: 1, idleTimeoutMillis: 0 })
  // After a panic, a waiting caller gets the error and `onPanic` ends the process, also for a client in use.
  pool.on('connect', (client) => client.on('error', () => {})).on('error', () => {})
  return {
    pool,
    sessions: pgliteSessions(pool),
    owner: { user, database, password: anyPassword },
    async close() {
      await pool.end()
      // After a panic, close() would write what is in memory.
      if (!health.panic) await pglite.close()
    },
  }
}

async function openServer(connectionString: string, { pooler }: DatabaseOptions): Promise<Opened> {
  if (!isPostgresUrl(connectionString)) throw new Error('DATABASE_URL is not a postgres:// URL')
  await probe(connectionString)
  const pool = new Pool({ connectionString, types: asText, max: 40 })
  // The server has closed an idle connection. The next statement opens another one or fails.
  pool.on('error', () => {})
  const { username, password, pathname } = new URL(connectionString)
  const [user, given, database] = [username, password, pathname.slice(1)].map(decodeURIComponent) as [
    string,
    string,
    string,
  ]
  return {
    pool,
    sessions: serverSessions(pooler ?? connectionString),
    owner: { user, password: given || anyPassword, database },
    close: () => pool.end(),
  }
}

async function probe(connectionString: string) {
  const client = new Client({ connectionString, connectionTimeoutMillis: 5_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rowCount } = await client.query(`select from pg_available_extensions where name = 'vector'`)
    if (rowCount === 0) throw new Error('the server does not have the pgvector extension')
  } catch (error) {
    throw new Error(`cannot use DATABASE_URL: ${messageOf(error)}`)
  } finally {
    await client.end()
  }
}

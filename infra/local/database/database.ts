import { existsSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { auto_explain } from '@electric-sql/pglite/contrib/auto_explain'
import { vector } from '@electric-sql/pglite-pgvector'
import { Client, type ClientConfig, Pool } from 'pg'
import { lockDirectory } from '../../data-directory/lock.ts'
import { messageOf } from '../../error-message.ts'
import { isPostgresUrl } from '../../postgres-url.ts'
import { type Backend, startNeonEndpoint } from './neon-endpoint.ts'
import { type Health, pgliteWire } from './pglite-wire.ts'

export interface LocalDatabase {
  url: string
  endpoint: string
  pool: Pool
  close(): Promise<void>
}

/** Yields every value as Postgres text, like Neon: the driver parses it. */
const asText = { getTypeParser: () => (value: string) => value } as ClientConfig['types']

export interface DatabaseOptions {
  url?: string | undefined
  /** Locked while in use; without it the database is in memory. */
  dataDir?: string | undefined
  /** Dump of a PGlite data directory to start from, which is many times faster than an empty database. */
  image?: string | undefined
  /** Called once when the embedded database cannot go on: from then on every connection to it fails. */
  onPanic?: ((panic: Error) => void) | undefined
}

/** @throws Error, on one line, when `dataDir` is in use or the server is not available */
export async function openDatabase({ url, dataDir, image, onPanic }: DatabaseOptions): Promise<LocalDatabase> {
  const unlock = dataDir === undefined ? undefined : await lockDirectory(dataDir)
  try {
    const postgres = dataDir && join(dataDir, 'postgres')
    const backend = url === undefined ? await openPglite(postgres, { image, onPanic }) : await openServer(url)
    const { port, close } = await startNeonEndpoint(backend)
    return {
      url: `postgres://${backend.login}@127.0.0.1:${port}/${backend.database}`,
      endpoint: `http://127.0.0.1:${port}`,
      pool: backend.pool,
      async close() {
        await close()
        await backend.close()
        await unlock?.()
      },
    }
  } catch (error) {
    await unlock?.()
    throw error
  }
}

interface OpenBackend extends Backend {
  login: string
  database: string
  close(): Promise<void>
}

async function openPglite(dataDir: string | undefined, { image, onPanic }: DatabaseOptions): Promise<OpenBackend> {
  // PGlite accepts a directory with a PG_VERSION as a database, and creates that file before the last ones.
  const ready = dataDir && join(dataDir, 'ready')
  if (ready && !existsSync(ready)) await rm(dataDir, { recursive: true, force: true })
  const loadDataDir = image && new Blob([await readFile(image)])
  const start = { dataDir, extensions: { vector, auto_explain }, ...(loadDataDir && { loadDataDir }) }
  const pglite = await PGlite.create({ ...start, relaxedDurability: false })
  if (ready) await writeFile(ready, '')
  const owner = 'postgres'
  // A pool of one is the mutex: PGlite is a single backend, whose clients must not interleave.
  const health: Health = onPanic ? { onPanic } : {}
  const stream = () => pgliteWire(pglite, health)
  const pool = new Pool({ stream, user: owner, database: owner, types: asText, max: 1, idleTimeoutMillis: 0 })
  return {
    pool,
    owner,
    login: owner,
    database: 'postgres',
    async close() {
      await pool.end()
      // After a panic close() would write what is in memory.
      if (!health.panic) await pglite.close()
    },
  }
}

async function openServer(connectionString: string): Promise<OpenBackend> {
  if (!isPostgresUrl(connectionString)) throw new Error('DATABASE_URL is not a postgres:// URL')
  await probe(connectionString)
  const pool = new Pool({ connectionString, types: asText, max: 40 })
  // The server closed an idle connection; the next statement opens another or fails.
  pool.on('error', () => {})
  const { username, password, pathname } = new URL(connectionString)
  return {
    pool,
    owner: decodeURIComponent(username),
    login: password ? `${username}:${password}` : username,
    database: pathname.slice(1),
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

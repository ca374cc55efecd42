import { existsSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { vector } from '@electric-sql/pglite-pgvector'
import { Client, type ClientConfig, Pool } from 'pg'
import { lockDirectory } from '../directory-lock.ts'
import { messageOf } from '../error-message.ts'
import { type Backend, startNeonEndpoint } from './neon-endpoint.ts'
import { pgliteWire } from './pglite-wire.ts'

export interface LocalDatabase {
  /** Connection string for the Neon driver; its host and port are the endpoint's. */
  url: string
  /** Origin that answers `/sql`, such as http://127.0.0.1:40123. */
  endpoint: string
  /** Connections of the owner, for migrations. Every value comes as Postgres text. */
  pool: Pool
  close(): Promise<void>
}

/** Neon sends every value as Postgres text, and the driver parses it. */
const asText = { getTypeParser: () => (value: string) => value } as ClientConfig['types']

export interface DatabaseOptions {
  /** A PostgreSQL server's; else the database is an embedded PGlite. */
  url?: string | undefined
  /** Directory of the embedded database's files, locked for this process; undefined = in memory. */
  dataDir?: string | undefined
  /** File with a dump of a PGlite data directory that a new embedded database begins with: many times faster than making one. */
  image?: string | undefined
}

/**
 * Opens the database that the stand runs on, behind an endpoint that speaks Neon's protocol on loopback.
 * Rejects with a one-line Error when `dataDir` is in use or the server cannot be used.
 */
export async function openDatabase({ url, dataDir, image }: DatabaseOptions): Promise<LocalDatabase> {
  const unlock = dataDir === undefined ? undefined : await lockDirectory(dataDir)
  try {
    const backend =
      url === undefined ? await openPglite(dataDir && join(dataDir, 'postgres'), image) : await openServer(url)
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
  /** `user` or `user:password`, percent-encoded. */
  login: string
  database: string
  close(): Promise<void>
}

async function openPglite(dataDir: string | undefined, image: string | undefined): Promise<OpenBackend> {
  // PGlite takes whatever has a PG_VERSION for a database, and writes that before the last files of a new one.
  const ready = dataDir && join(dataDir, 'ready')
  if (ready && !existsSync(ready)) await rm(dataDir, { recursive: true, force: true })
  const loadDataDir = image && new Blob([await readFile(image)])
  const pglite = await PGlite.create({
    dataDir,
    extensions: { vector },
    relaxedDurability: false,
    ...(loadDataDir && { loadDataDir }),
  })
  if (ready) await writeFile(ready, '')
  const owner = 'postgres'
  // The pool of one is the mutex: PGlite is a single backend, which cannot tell interleaved speakers apart.
  const stream = () => pgliteWire(pglite)
  const pool = new Pool({ stream, user: owner, database: owner, types: asText, max: 1, idleTimeoutMillis: 0 })
  return {
    pool,
    owner,
    login: owner,
    database: 'postgres',
    async close() {
      await pool.end()
      await pglite.close()
    },
  }
}

async function openServer(connectionString: string): Promise<OpenBackend> {
  if (!/^postgres(ql)?:\/\//.test(connectionString) || !URL.canParse(connectionString))
    throw new Error('DATABASE_URL is not a postgres:// URL')
  await probe(connectionString)
  const pool = new Pool({ connectionString, types: asText, max: 40 })
  // An idle connection that the server ends; the next statement opens another or says why it cannot.
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
  // What was being asked when the connection broke is rejected as well.
  client.on('error', () => {})
  try {
    await client.connect()
    const { rowCount } = await client.query(`select from pg_available_extensions where name = 'vector'`)
    if (rowCount === 0) throw new Error('its server has no pgvector extension')
  } catch (error) {
    throw new Error(`DATABASE_URL cannot be used: ${messageOf(error)}`)
  } finally {
    await client.end()
  }
}

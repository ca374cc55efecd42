import { readFile } from 'node:fs/promises'
import { PGlite } from '@electric-sql/pglite'
import { vector } from '@electric-sql/pglite-pgvector'
import { neonConfig } from '@neondatabase/serverless'
import { Client, type ClientConfig, Pool } from 'pg'
import { runSql } from '../../infra/local/database/neon-sql.ts'
import { pgliteWire } from '../../infra/local/database/pglite-wire.ts'
import { createScratchDatabase } from '../../infra/local/database/scratch-database.ts'
import { migrate } from '../../infra/migrations/migrate.ts'
import { Database } from '../../shared/database/database.ts'

export interface Statement {
  query: string
  params: unknown[]
}
/** What Neon's `POST /sql` answers to a batch, or the error of its first failing statement. */
export type Outcome = { status: number; body: unknown }
/** Leaves out the results of the first `skipped`. */
export type RunSql = (queries: Statement[], skipped: number) => Promise<Outcome>

const owner = 'owner'

/**
 * A database for simulations: Neon's driver in front of it, without a socket between, so that a thousand histories take
 * minutes and every statement passes `intercept`. On the server of DATABASE_URL a scratch database, else PGlite.
 */
export async function openSimulatedDatabase(intercept: (run: () => Promise<Outcome>) => Promise<Outcome>) {
  const { DATABASE_URL: server } = process.env
  const { run, close } = server ? await onServer(server) : await onPglite()
  neonConfig.fetchFunction = async (
    _url: string,
    { body, headers }: { body: string; headers: Record<string, string> },
  ) => {
    const role = new URL(headers['Neon-Connection-String']!).username
    const become = role === owner ? [] : [{ query: `select set_config('role', $1, true)`, params: [role] }]
    const { status, body: answer } = await intercept(() => run([...become, ...JSON.parse(body).queries], become.length))
    // No streams: whoever awaits the answer goes on in the same turn of the event loop.
    return { ok: status === 200, status, json: async () => answer, text: async () => JSON.stringify(answer) }
  }
  /** The database as a Lambda under that role reaches it. */
  const as = (role: string) =>
    new Database({
      url: () => `postgres://${role}@simulation.example/db`,
      timeoutSeconds: 60,
      isRepeatable: role === 'cuecard_embedding' || role === 'cuecard_extraction',
    })
  return { db: as(owner), as, close }
}

async function onServer(url: string) {
  const scratch = await createScratchDatabase(url)
  const pool = new Pool({ connectionString: scratch.url })
  await migrate(pool)
  await pool.end()
  return await overClient({ connectionString: scratch.url }, scratch.drop)
}

async function onPglite() {
  const loadDataDir = new Blob([await readFile(process.env.DATABASE_IMAGE!)])
  const pglite = await PGlite.create({ extensions: { vector }, loadDataDir })
  return await overClient({ stream: () => pgliteWire(pglite), user: 'postgres' }, () => pglite.close())
}

async function overClient(config: ClientConfig, drop: () => Promise<void>) {
  const client = new Client({ ...config, types: { getTypeParser: () => (value: string) => value } })
  await client.connect()
  const run: RunSql = async (queries, skipped) => {
    try {
      const request = { body: { queries }, role: undefined }
      const { results } = (await runSql(client, request, new AbortController().signal)) as { results: unknown[] }
      return { status: 200, body: { results: results.slice(skipped) } }
    } catch (error) {
      return { status: 400, body: { ...(error as object), message: (error as Error).message } }
    }
  }
  const close = async () => {
    await client.end()
    await drop()
  }
  return { run, close }
}

import { neonConfig } from '@neondatabase/serverless'
import type { Pool } from 'pg'
import { runSql, toErrorBody } from '../../infra/local/database/neon-sql.ts'
import { Database } from '../../shared/database/database.ts'

/** What Neon's `POST /sql` answers to a batch, or the error of its first failing statement. */
export type Outcome = { status: number; body: unknown }

const owner = 'owner'

/** The database of the stand, behind Neon's driver without a socket between, so that every statement passes `intercept`. */
export function simulatedDatabase(pool: Pool, intercept: (run: () => Promise<Outcome>) => Promise<Outcome>) {
  const before = neonConfig.fetchFunction
  neonConfig.fetchFunction = async (
    _url: string,
    { body, headers }: { body: string; headers: Record<string, string> },
  ) => {
    const { username } = new URL(headers['Neon-Connection-String']!)
    const role = username === owner ? undefined : username
    const { status, body: answer } = await intercept(() => run(pool, role, JSON.parse(body)))
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
  const close = () => {
    neonConfig.fetchFunction = before
  }
  return { db: as(owner), as, close }
}

async function run(pool: Pool, role: string | undefined, body: Parameters<typeof runSql>[1]['body']): Promise<Outcome> {
  const client = await pool.connect()
  try {
    return { status: 200, body: await runSql(client, { body, role }, new AbortController().signal) }
  } catch (error) {
    return { status: 400, body: toErrorBody(error) }
  } finally {
    client.release()
  }
}

import { neonConfig } from '@neondatabase/serverless'
import type { DatabaseError, Pool } from 'pg'
import { errorBody } from '../../infra/local/database/neon-endpoint.ts'
import { runSql, type SqlBody } from '../../infra/local/database/neon-sql.ts'
import { pgliteSessions, type Sessions } from '../../infra/local/database/sessions.ts'
import { loginOfRole } from '../../infra/postgres-url.ts'
import { Database } from '../../shared/database/database.ts'

/** The answer of Neon's `POST /sql` to a batch, or the error of its first failing statement. */
export type Outcome = { status: number; body: unknown }

const owner = 'owner'

/** The database of the stand, behind Neon's driver without a socket between, so that every statement passes `intercept`. */
export function simulatedDatabase(pool: Pool, intercept: (run: () => Promise<Outcome>) => Promise<Outcome>) {
  const before = neonConfig.fetchFunction
  const sessions = pgliteSessions(pool)
  neonConfig.fetchFunction = async (
    _url: string,
    { body, headers }: { body: string; headers: Record<string, string> },
  ) => {
    const { username } = new URL(headers['Neon-Connection-String']!)
    const user = username === owner ? 'postgres' : loginOfRole(username)
    const { status, body: answer } = await intercept(() => run(sessions, user, JSON.parse(body)))
    // Uses no streams, so that the awaiting caller continues in the same turn of the event loop.
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

async function run(sessions: Sessions, user: string, body: SqlBody): Promise<Outcome> {
  const { client, release } = await sessions.open({ user, password: '', database: '' })
  const traffic = { requests: 0, statements: 0, roundTrips: 0 }
  const never = new AbortController().signal
  try {
    const text = await runSql(client, body, { mode: '', arrayMode: true }, never, traffic)
    return { status: 200, body: JSON.parse(text) }
  } catch (error) {
    return { status: 400, body: errorBody((error as Error).message, error as DatabaseError) }
  } finally {
    release(false)
  }
}

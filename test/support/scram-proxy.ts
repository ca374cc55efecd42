import { createHash, createHmac, pbkdf2Sync } from 'node:crypto'
import { text } from 'node:stream/consumers'
import type { Pool } from 'pg'
import { listen } from './loopback.ts'

/** The rows of a statement, as text. */
type Rows = (string | null)[][]

const changes = /^\s*(insert|update|delete|create|alter|drop|grant|with)\b/i

/**
 * Neon’s proxy, which lets a login in by the password that the server keeps for it, before the local endpoint. `amend` changes what a
 * batch answers; `beforeWrite` and `afterWrite` stand around each request that changes something, and what they throw is its answer.
 */
export async function startScramProxy(endpoint: string, pool: Pool, owner: { password: string }) {
  const state = {
    amend: (_results: Rows[]) => {},
    beforeWrite: (_statement: string) => {},
    afterWrite: (_statement: string) => {},
    /** Users who need no password. */
    trusts: (_user: string) => false,
    /** Log-ins refused so far. */
    refused: 0,
  }
  const { origin, close } = await listen(async (request, response) => {
    const { username, password } = new URL(String(request.headers['neon-connection-string']))
    const body = await text(request)
    const answer = (status: number, fields: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(fields))
    const refusal = state.trusts(username)
      ? undefined
      : await refusalOf(pool, decodeURIComponent(username), decodeURIComponent(password), owner.password)
    if (refusal) {
      state.refused++
      return answer(refusal.code ? 500 : 400, refusal)
    }
    const { queries, query } = JSON.parse(body) as { queries?: { query: string }[]; query?: string }
    const change = (queries ?? [{ query: query! }]).find((each) => changes.test(each.query))?.query
    try {
      if (change) state.beforeWrite(change)
    } catch (error) {
      return answer(400, { message: String(error), code: 'XX000' })
    }
    const forNeon = Object.entries(request.headers).filter(([name]) => name.startsWith('neon-'))
    const headers = Object.fromEntries(forNeon.map(([name, value]) => [name, String(value)]))
    const answered = await fetch(`${endpoint}/sql`, { method: 'POST', headers, body })
    const result = (await answered.json()) as { results?: { rows: Rows }[] }
    try {
      if (change) state.afterWrite(change)
    } catch (error) {
      return answer(400, { message: String(error), code: 'XX000' })
    }
    if (result.results) state.amend(result.results.map(({ rows }) => rows))
    return answer(answered.status, result)
  })
  return Object.assign(state, { origin, close })
}

/** In the forms that Neon’s proxy answers with: without a code where it refuses itself, with one where the server does. */
async function refusalOf(pool: Pool, user: string, password: string, ownerPassword: string) {
  const { rows } = await pool.query<{ can: string; kept: string | null; owner: string }>(
    `select rolcanlogin::text as can, rolpassword as kept, (rolname = current_user)::text as owner from pg_authid where rolname = $1`,
    [user],
  )
  const [role] = rows
  const isRight = role?.owner === 'true' ? password === ownerPassword : matches(role?.kept, password)
  if (role?.can === 'false') return { message: `role "${user}" is not permitted to log in`, code: '28000' }
  return isRight ? undefined : { message: `password authentication failed for user '${user}'`, code: '' }
}

const hmac = (key: Buffer, message: string) => createHmac('sha256', key).update(message).digest()

/** Whether the server’s SCRAM verifier is of this password (RFC 5802). */
function matches(verifier: string | null | undefined, password: string): boolean {
  const [, iterations, salt, stored] = /^SCRAM-SHA-256\$(\d+):([^$]+)\$([^:]+):/.exec(verifier ?? '') ?? []
  if (!stored) return false
  const salted = pbkdf2Sync(password, Buffer.from(salt!, 'base64'), Number(iterations), 32, 'sha256')
  return createHash('sha256').update(hmac(salted, 'Client Key')).digest('base64') === stored
}

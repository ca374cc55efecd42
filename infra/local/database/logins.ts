import { createHash, createHmac, pbkdf2Sync } from 'node:crypto'
import { escapeIdentifier, escapeLiteral, type Pool } from 'pg'
import { loginOfRole } from '../../postgres-url.ts'
import { databaseUsers, statementSeconds } from '../../wiring.ts'
import type { Login } from './sessions.ts'

/** The same limits as those of infra/stage/logins.ts. */
const timeouts: Record<string, number> = {
  ...Object.fromEntries(databaseUsers.map((lambda) => [`cuecard_${lambda}`, statementSeconds[lambda]])),
  cuecard_operator: 70,
}

/**
 * Makes missing logins, and gives this password to the others. All databases of a server share its logins, and so the lock: without it,
 * stands that change one login at once fail with "tuple concurrently updated".
 */
export async function makeLogins(pool: Pool, password: string): Promise<void> {
  for (const [role, seconds] of Object.entries(timeouts)) {
    const login = loginOfRole(role)
    const kept = await verifierOf(pool, login)
    if (isPasswordOf(kept, password)) continue
    const id = escapeIdentifier(login)
    const options = `login password ${escapeLiteral(password)}`
    await pool.query(`do $$ begin
        lock table pg_authid in share row exclusive mode;
        begin create role ${id} in role ${escapeIdentifier(role)}; exception when duplicate_object or unique_violation then null; end;
        alter role ${id} ${options};
        alter role ${id} set statement_timeout = '${seconds}s';
      end $$`)
  }
}

/** Checks passwords like the proxy, which reads the server's verifiers (backend.rs, authenticate_with_password). */
export function passwordCheck(pool: Pool, owner: Login): (login: Login) => Promise<boolean> {
  const right = new Map<string, string>()
  return async ({ user, password }) => {
    if (user === owner.user) return password === owner.password
    const verifier = await verifierOf(pool, user)
    const key = JSON.stringify([user, password])
    if (verifier && right.get(key) === verifier) return true
    if (!isPasswordOf(verifier, password)) return false
    right.set(key, verifier!)
    return true
  }
}

async function verifierOf(pool: Pool, user: string): Promise<string | null> {
  const { rows } = await pool.query<{ rolpassword: string }>('select rolpassword from pg_authid where rolname = $1', [
    user,
  ])
  return rows[0]?.rolpassword ?? null
}

const hmac = (key: Buffer, message: string) => createHmac('sha256', key).update(message).digest()

/** Checks a verifier of RFC 5802 in the form that `pg_authid` keeps. */
function isPasswordOf(verifier: string | null, password: string): boolean {
  const [, iterations, salt, stored] = /^SCRAM-SHA-256\$(\d+):([^$]+)\$([^:]+):/.exec(verifier ?? '') ?? []
  if (!stored) return false
  const salted = pbkdf2Sync(password, Buffer.from(salt!, 'base64'), Number(iterations), 32, 'sha256')
  return createHash('sha256').update(hmac(salted, 'Client Key')).digest('base64') === stored
}

import { createHash, createSecretKey, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { columnsOf } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { type ApiKey, hashKey } from '../http/api-keys.ts'
import type { OrganizationId } from '../ids.ts'
import type { Permission } from '../permissions.ts'

export const sessionSeconds = 12 * 3600
/** Failed sign-ins in a window of an IPv4 address or an IPv6 /64 network, which is what one customer has. */
export const maxFailures = 20
export const windowSeconds = 600

export interface Session extends ApiKey {
  keyName: string
  keyExpiresAt: Date | null
  organizationName: string
  tokenHash: Buffer
}

/** `token` is given to the browser, and stored nowhere. */
type SignIn = { outcome: 'opened'; token: string } | { outcome: 'refused' } | { outcome: 'throttled'; seconds: number }

const a = columnsOf('sign_in_attempts', 'a')

/** Opens a session for a valid key. Attempts are counted before the look-up, so those of one address wait for each other. */
export async function signIn(db: Database, key: string, sourceIp: string): Promise<SignIn> {
  const token = randomBytes(32).toString('base64url')
  const ip = sql`${sourceIp}::inet`
  const source = sql<string>`network(case family(${ip}) when 6 then set_masklen(${ip}, 64) else ${ip} end)`
  const isOver = sql<boolean>`${a.since} <= now() - make_interval(secs => ${windowSeconds})`
  const { counted, opened } = await db.batch({
    counted: sql<{ failures: number; seconds: number }>`
      insert into sign_in_attempts as a (source, failures) values (${source}, 1)
      on conflict (source) do update set
        failures = case when ${isOver} then 1 else ${a.failures} + 1 end,
        since = case when ${isOver} then now() else ${a.since} end
      returning ${a.failures},
        ceil(extract(epoch from ${a.since} - now()) + ${windowSeconds})::int as seconds`,
    opened: sql<{ organization_id: string }>`
      select o.organization_id from sign_in_attempts a
        cross join lateral open_session(${hashKey(key)}, ${hashToken(token)}, ${sessionSeconds}) o(organization_id)
      where ${a.source} = ${source} and ${a.failures} <= ${maxFailures}`,
    forgiven: sql`
      update sign_in_attempts a set failures = ${a.failures} - 1
      where ${a.source} = ${source} and exists (select from find_session(${hashToken(token)}))`,
  })
  if (opened.length > 0) return { outcome: 'opened', token }
  const { failures, seconds } = counted[0]!
  return failures > maxFailures ? { outcome: 'throttled', seconds } : { outcome: 'refused' }
}

interface FoundSession {
  organization_id: string
  organization_name: string
  cursor_key: Buffer
  key_id: string
  key_name: string
  permissions: Permission[]
  expires_at: Date | null
}

/** Undefined once it has ended, or its key was revoked or has expired. */
export async function findSession(db: Database, token: string): Promise<Session | undefined> {
  const tokenHash = hashToken(token)
  const { rows } = await sql<FoundSession>`select * from find_session(${tokenHash})`.execute(db)
  const [found] = rows
  return (
    found && {
      id: found.key_id,
      keyName: found.key_name,
      keyExpiresAt: found.expires_at,
      organizationId: found.organization_id as OrganizationId,
      organizationName: found.organization_name,
      permissions: found.permissions,
      cursorKey: createSecretKey(found.cursor_key),
      tokenHash,
    }
  )
}

export async function signOut(db: Database, { organizationId, tokenHash }: Session): Promise<void> {
  await sql`delete from sessions where organization_id = ${organizationId} and token_hash = ${tokenHash}`.execute(db)
}

function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

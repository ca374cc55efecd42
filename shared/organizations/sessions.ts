import { createHash, createSecretKey, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { columnsOf } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import type { ApiKey } from '../http/api.ts'
import { hashKey } from '../http/api-keys.ts'
import type { OrganizationId } from '../ids.ts'
import { type Permission, type Role, roles } from './permissions.ts'

export const sessionSeconds = 12 * 3600
/** The maximum of failed sign-ins in a window from one customer's network: an IPv4 address or an IPv6 /64. */
export const maxFailures = 20
export const windowSeconds = 600

/** The id is that of the key or of the person. */
export interface Session extends ApiKey {
  /** The key's name, or the person's mail address. */
  name: string
  /** Absent if somebody signed in with a key. */
  person?: { role: Role; organizations: number } | undefined
  /** Callers' questions are for those who can answer them, and for viewers where an owner allows it. */
  mayReadQuestions: boolean
  keyExpiresAt: Date | null
  organizationName: string
  tokenHash: Buffer
}

/** `token` goes to the browser and is not stored. */
type Opened = { outcome: 'opened'; token: string }
export type Throttled = { outcome: 'throttled'; seconds: number }
type Refused = { outcome: 'refused' }

const a = columnsOf('sign_in_attempts', 'a')

/** Opens a session for a valid key. Attempts are counted before the look-up, so those of one address wait for each other. */
export async function signIn(db: Database, key: string, sourceIp: string): Promise<Opened | Refused | Throttled> {
  const token = newToken()
  const { source, counted } = attemptFrom(sourceIp)
  const results = await db.batch({
    counted,
    opened: sql<{ organization_id: string }>`
      select o.organization_id from sign_in_attempts a
        cross join lateral open_session(${hashKey(key)}, ${hashToken(token)}, ${sessionSeconds}) o(organization_id)
      where ${a.source} = ${source} and ${a.failures} <= ${maxFailures}`,
    forgiven: sql`
      update sign_in_attempts a set failures = ${a.failures} - 1
      where ${a.source} = ${source} and exists (select from find_signed_in(${hashToken(token)}))`,
  })
  if (results.opened.length > 0) return { outcome: 'opened', token }
  return throttled(results.counted) ?? { outcome: 'refused' }
}

interface Attempt {
  failures: number
  seconds: number
}

/** Counts a sign-in attempt from a network, which may succeed. */
function attemptFrom(sourceIp: string) {
  const ip = sql`${sourceIp}::inet`
  const source = sql<string>`network(case family(${ip}) when 6 then set_masklen(${ip}, 64) else ${ip} end)`
  const isOver = sql<boolean>`${a.since} <= now() - make_interval(secs => ${windowSeconds})`
  const counted = sql<Attempt>`
    insert into sign_in_attempts as a (source, failures) values (${source}, 1)
    on conflict (source) do update set
      failures = case when ${isOver} then 1 else ${a.failures} + 1 end,
      since = case when ${isOver} then now() else ${a.since} end
    returning ${a.failures},
      ceil(extract(epoch from ${a.since} - now()) + ${windowSeconds})::int as seconds`
  return { source, counted }
}

function throttled([attempt]: Attempt[]): Throttled | undefined {
  if (!attempt || attempt.failures <= maxFailures) return undefined
  return { outcome: 'throttled', seconds: attempt.seconds }
}

/** Opens a session for the person whose address has just been proven. @param organizationId by default the one they joined first */
export async function signInAs(
  db: Database,
  mail: string,
  organizationId?: OrganizationId,
): Promise<(Opened & { organizations: number }) | Refused> {
  const token = newToken()
  const { rows } = await sql<{ organizations: number }>`
    select s.organizations
    from sign_in_as(${mail}, ${hashToken(token)}, ${sessionSeconds}, ${organizationId ?? null}) s`.execute(db)
  return rows[0] ? { outcome: 'opened', token, ...rows[0] } : { outcome: 'refused' }
}

/** The token of a link to be mailed, valid only in the browser that requested it. */
interface Link {
  outcome: 'made'
  token: string
  /** True for a member; nobody else gets a mail. */
  isMailed: boolean
}

/** @param browser the secret that the requesting browser keeps @returns `limited` if too many links to the address were requested */
export async function askForLink(
  db: Database,
  { mail, browser, sourceIp }: { mail: string; browser: string; sourceIp: string },
): Promise<Link | Throttled | { outcome: 'limited'; seconds: number }> {
  const token = newToken()
  const { counted } = await db.batch({ counted: attemptFrom(sourceIp).counted })
  const late = throttled(counted)
  if (late) return late
  const { rows } = await sql<{ mailed: boolean; seconds: number | null }>`
    select * from ask_for_link(${mail}, ${hashToken(token)}, ${hashToken(browser)}, ${sourceIp}::inet)`.execute(db)
  const { mailed, seconds } = rows[0]!
  return seconds === null ? { outcome: 'made', token, isMailed: mailed } : { outcome: 'limited', seconds }
}

/** Uses up the link if this browser requested it. */
export async function followLink(db: Database, token: string, browser: string) {
  const { rows } = await sql<{ mail: string | null }>`
    select spend_link(${hashToken(token)}, ${hashToken(browser)}) as mail`.execute(db)
  const mail = rows[0]?.mail
  return mail ? await signInAs(db, mail) : ({ outcome: 'refused' } as const)
}

interface FoundSession {
  organization_id: string
  organization_name: string
  cursor_key: Buffer
  key_id: string | null
  person_id: string | null
  name: string
  permissions: Permission[] | null
  expires_at: Date | null
  role: Role | null
  viewers_read_questions: boolean
  organizations: number
}

/** Finds the session of a token. Returns undefined once the session has ended, its key was revoked or has expired, or the person was removed. */
export async function findSession(db: Database, token: string): Promise<Session | undefined> {
  const tokenHash = hashToken(token)
  const { rows } = await sql<FoundSession>`select * from find_signed_in(${tokenHash})`.execute(db)
  const [found] = rows
  if (!found) return undefined
  const permissions = found.role ? [...roles[found.role]] : found.permissions!
  return {
    id: (found.key_id ?? found.person_id)!,
    idName: found.role ? 'person_id' : undefined,
    name: found.name,
    person: found.role ? { role: found.role, organizations: found.organizations } : undefined,
    keyExpiresAt: found.expires_at,
    organizationId: found.organization_id as OrganizationId,
    organizationName: found.organization_name,
    permissions,
    mayReadQuestions: permissions.includes('kb:write') || (found.role !== null && found.viewers_read_questions),
    cursorKey: createSecretKey(found.cursor_key),
    tokenHash,
  }
}

export async function signOut(db: Database, { organizationId, tokenHash }: Session): Promise<void> {
  await sql`delete from sessions where organization_id = ${organizationId} and token_hash = ${tokenHash}`.execute(db)
}

export const newToken = () => randomBytes(32).toString('base64url')

export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

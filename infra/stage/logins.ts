import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Database } from '../../shared/database/database.ts'
import { CommandError } from '../command-line/command-error.ts'
import { sentenceOf } from '../command-line/sentence.ts'
import { neonHostOf } from '../neon-host.ts'
import { type DatabaseUser, statementSeconds } from '../wiring.ts'
import { checkLogin } from './checks/database.ts'
import type { Context } from './context.ts'

/** A Lambda's two logins, which alternate. */
export const slots = [1, 2] as const
export type Slot = (typeof slots)[number]

export const loginOf = (lambda: DatabaseUser, slot: Slot) => `cuecard_${lambda}_${slot}`
export const otherThan = (slot: Slot): Slot => (slot === 1 ? 2 : 1)

/** The slot of the Lambda's login that a URL names. */
export function slotOf(lambda: DatabaseUser, url: string | undefined): Slot | undefined {
  const user = url === undefined ? undefined : URL.parse(url)?.username
  return slots.find((slot) => loginOf(lambda, slot) === user)
}

export type LoginContext = Pick<Context, 'database' | 'pause'>

/**
 * Gives a login of the Lambda a new password, and makes the login if it does not exist.
 * @returns its checked URL, on Neon's pooled host @throws CommandError
 */
export async function makeLogin(
  context: LoginContext,
  ownerUrl: string,
  lambda: DatabaseUser,
  slot: Slot,
): Promise<string> {
  const login = loginOf(lambda, slot)
  const wanted = { login, role: `cuecard_${lambda}`, statementSeconds: statementSeconds[lambda] }
  const url = pooledUrlOf(ownerUrl, login, await letIn(context.database(ownerUrl), wanted))
  await requireWorkingLogin(context, lambda, url)
  return url
}

interface Login {
  login: string
  role: string
  statementSeconds: number
}

/** Gives a login a new password, and makes the login if it does not exist. @returns the password */
export async function letIn(owner: Database, { login, role, statementSeconds: seconds }: Login): Promise<string> {
  const password = randomBytes(24).toString('base64url')
  const id = sql.id(login)
  const found = await sql`select from pg_roles where rolname = ${login}`.execute(owner)
  // The password comes last, because the server logs failed statements, and in plain text, because Neon measures its strength.
  await owner.batch({
    made: found.rows.length > 0 ? sql`grant ${sql.id(role)} to ${id}` : sql`create role ${id} in role ${sql.id(role)}`,
    limited: sql`alter role ${id} set statement_timeout = ${sql.lit(`${seconds}s`)}`,
    idle: sql`alter role ${id} set idle_in_transaction_session_timeout = '10s'`,
    opened: sql`alter role ${id} login password ${sql.lit(password)}`,
  })
  return password
}

/** The login's URL on the owner's own host. */
export function urlOf(ownerUrl: string, login: string, password: string): string {
  const url = new URL(ownerUrl)
  url.username = login
  url.password = password
  return url.href
}

/**
 * Lambdas use the pooled host. Neon's proxy keeps 20 sessions for all logins together. It opens one more for each further request, and
 * these plan functions again; PgBouncer keeps its own. 240 searches of 12 logins on two busy processors, direct and
 * pooled: 20 in flight, p50 1.7 and 0.4 s, p99 5.7 and 1.6 s, 28 and 25 server connections, 3,905 and 1,027 plans; one in flight,
 * p50 128 and 46 ms, 6,171 and 2,633 plans; 200 in flight, 222 and 64 refused, p99 16.9 and 8.7 s, 60 and 50 connections.
 */
function pooledUrlOf(ownerUrl: string, login: string, password: string): string {
  const url = new URL(urlOf(ownerUrl, login, password))
  if (neonHostOf(ownerUrl) === 'direct') url.hostname = url.hostname.replace(/^[^.]+/, '$&-pooler')
  return url.href
}

/** Warns if the stage's file is older than a restore. @throws CommandError if the stage has no owner's URL */
export async function ownerOf(context: Context): Promise<{ owner: Database; ownerUrl: string }> {
  const { secrets, database, stage, settings, program } = context
  const ownerUrl = (await secrets.read('database-owner')).value
  if (!ownerUrl) throw new CommandError(`the secret of the owner is empty: npm run stage -- create ${stage}`)
  const { hostname } = new URL(ownerUrl)
  if (settings.databaseHost && settings.databaseHost !== hostname)
    program.warn(`warning: ${stage} is at ${hostname}, but infra/aws/stages/${stage}.json names another host: pull it`)
  return { owner: database(ownerUrl), ownerUrl }
}

/** True if an owner's and a Lambda's URL, on different hosts, name the same database. */
export function isSameDatabase(ownerUrl: string, url: string): boolean {
  const [expected, actual] = [new URL(pooledUrlOf(ownerUrl, '', '')), new URL(url)]
  return expected.host === actual.host && expected.pathname === actual.pathname
}

/** Closes a login. Running statements are not interrupted. */
export async function closeLogin(owner: Database, lambda: DatabaseUser, slot: Slot): Promise<void> {
  const login = loginOf(lambda, slot)
  const found = await sql`select from pg_roles where rolname = ${login}`.execute(owner)
  if (found.rows.length > 0) await sql`alter role ${sql.id(login)} nologin password null`.execute(owner)
}

/** Closes the logins of Lambdas and operators on a database that a stage leaves, so that nobody changes it by mistake. A stand's stay. */
export async function closeLogins(owner: Database): Promise<void> {
  const { rows } = await sql<{ rolname: string }>`select rolname from pg_roles
    where rolcanlogin and rolname ~ '^cuecard_(.+_[12]|operator_(?!local$).+)$'`.execute(owner)
  for (const { rolname } of rows) await sql`alter role ${sql.id(rolname)} nologin password null`.execute(owner)
}

export async function dropLogins(owner: Database, lambda: DatabaseUser): Promise<void> {
  for (const slot of slots) await dropLogin(owner, loginOf(lambda, slot))
}

export async function dropLogin(owner: Database, login: string): Promise<void> {
  await sql`drop role if exists ${sql.id(login)}`.execute(owner)
}

const attempts = 30

/** Retries, because Neon’s proxy may accept a new password a moment later than the database. @throws CommandError */
async function requireWorkingLogin(
  { database, pause }: LoginContext,
  lambda: DatabaseUser,
  url: string,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      const findings = await checkLogin(`database-${lambda}`, url, database)
      const fault = findings.find(({ level }) => level === 'error')
      if (fault) throw new CommandError(`${fault.subject}: ${fault.detail}`)
      return
    } catch (error) {
      if (error instanceof CommandError || attempt === attempts)
        throw new CommandError(`the new login of ${lambda} does not work: ${sentenceOf(error)}`)
      await pause(1000)
    }
  }
}

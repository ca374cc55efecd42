import { setTimeout as sleep } from 'node:timers/promises'
import { type FullQueryResults, NeonDbError, neon, neonConfig } from '@neondatabase/serverless'
import {
  type CompiledQuery,
  QueryCreator,
  type QueryExecutor,
  type QueryExecutorProvider,
  type QueryResult,
} from 'kysely'
import { secret } from '../aws/secrets.ts'
import { config } from '../config.ts'
import { ApiError, noSuchAgent } from '../http/errors.ts'
import type { AgentId, OrganizationId } from '../ids.ts'
import { Unavailable } from '../unavailable.ts'
import { neonExecutor } from './neon-executor.ts'
import { deadlock, lockNotAvailable, serializationFailure } from './retrying.ts'
import type { Tables } from './tables.ts'

export interface Connection {
  /** The connection string; given a rejected one, another if it has been rotated. */
  url: (rejected?: string) => string | Promise<string>
  /** Serves Neon's protocol instead of Neon's own hosts, for example http://127.0.0.1:4444. */
  endpoint?: string | undefined
  timeoutSeconds: number
  /** True if statements may run twice: one whose response is lost is resent. */
  isRepeatable?: boolean | undefined
}

export type Statement<Row = unknown> = { compile(db: QueryExecutorProvider): CompiledQuery<Row> }
export type Batch = Readonly<Record<string, Statement>>
export type Results<Q extends Batch> = {
  -readonly [K in keyof Q]: NonNullable<Q[K]> extends Statement<infer Row> ? Row[] : never
}

/** What every transaction of a database works for. */
type Entered = readonly [organization: OrganizationId, agent?: AgentId]

/** Postgres over HTTP: no connection has to survive a Lambda's freeze. @throws Unavailable; ApiError payload_too_large, agent_not_found; NeonDbError for an error of Postgres */
export class Database extends QueryCreator<Tables> implements QueryExecutorProvider {
  readonly getExecutor: () => QueryExecutor
  readonly #connection: Connection
  readonly #entered: Entered | undefined

  constructor(connection: Connection, entered?: Entered) {
    const executor = neonExecutor(async (query) => toQueryResult((await this.#send([query]))[0]!))
    super({ executor })
    this.getExecutor = () => executor
    this.#connection = connection
    this.#entered = entered
    if (connection.endpoint) useEndpoint(connection.endpoint)
  }

  forOrganization(id: OrganizationId): Database {
    return new Database(this.#connection, [id])
  }

  /** Finds nothing of an agent that is being erased: each transaction throws agent_not_found. */
  forAgent({ organizationId, agentId }: { organizationId: OrganizationId; agentId?: AgentId }): Database {
    return new Database(this.#connection, agentId === undefined ? [organizationId] : [organizationId, agentId])
  }

  within(seconds: number): Database {
    const timeoutSeconds = Math.min(this.#connection.timeoutSeconds, Math.max(0.001, seconds))
    return new Database({ ...this.#connection, timeoutSeconds }, this.#entered)
  }

  /** Runs one transaction in one round trip; read committed, so a statement sees the newest state of rows locked by one before it. */
  async batch<const Q extends Batch>(statements: Q): Promise<Results<Q>> {
    const results = await this.#send(Object.values(statements).map((statement) => statement.compile(this)))
    return Object.fromEntries(Object.keys(statements).map((name, i) => [name, results[i]!.rows])) as Results<Q>
  }

  async #send([first, ...others]: Query[]) {
    if (!first) return []
    return await this.#retrying([this.#entered ? entering(this.#entered, first) : first, ...others])
  }

  async #retrying(queries: Query[]) {
    let url = await this.#connection.url()
    let isRepeated = false
    const deadline = AbortSignal.timeout(Math.ceil(this.#connection.timeoutSeconds * 1000))
    for (let attempt = 1; ; attempt++) {
      try {
        const options = { fullResults: true, fetchOptions: { signal: deadline } } as const
        const sql = neon(url, options)
        const sent = queries.map(({ sql: text, parameters }) => sql.query(text, [...parameters]))
        return sent.length === 1 ? await Promise.all(sent) : await sql.transaction(sent, options)
      } catch (error) {
        if (hasStatus(error, 413) || hasStatus(error, 507)) throw tooLarge(error)
        const rejected = isLoginRejected(error) ? url : undefined
        if (rejected) url = await this.#connection.url(rejected)
        const isRotated = rejected !== undefined && url !== rejected
        if (isRotated) for (const forget of forgetting) forget()
        if (attempt < 3 && (isRotated || isRolledBack(error))) continue
        const isLost = isUnreachable(error)
        const isThrottled = hasStatus(error, 500, 'Too many connections to this endpoint')
        if (isThrottled && attempt < 3 && !deadline.aborted) {
          await sleep(Math.random() * 200 * attempt)
          continue
        }
        const mayRepeat = isUnconnected(error) || (this.#connection.isRepeatable && isLost && !rejected)
        if (mayRepeat && !isThrottled && !isRepeated && !deadline.aborted) {
          isRepeated = true
          continue
        }
        if (violates(error, 'agent_is_kept')) throw agentIsErased(error)
        throw isLost ? new Unavailable('database', withoutUrl(error, url)) : error
      }
    }
  }
}

const forgetting: (() => void)[] = []

/** Calls back once another connection string has come in place of a rejected one: after a restore it is of another database. */
export function whenReplaced(forget: () => void): void {
  forgetting.push(forget)
}

type Query = Pick<CompiledQuery, 'sql' | 'parameters'>

/**
 * Enters the organization, and the agent, without a statement of its own, since Neon's proxy awaits each statement. The type of a parameter
 * makes the settings, or checks the agent, as it is read, and Postgres reads a statement's parameters before it plans the statement.
 */
function entering(entered: Entered, { sql: text, parameters }: Query): Query {
  const types = ['entered_organization', 'entered_agent']
  const values = entered.map((_, i) => `$${parameters.length + 1 + i}::${types[i]}`)
  const first = `entered as (select ${values.join(', ')})`
  const [others] = /^\s*with\s+(recursive\s+)?/i.exec(text) ?? []
  const sql = others ? `${others}${first}, ${text.slice(others.length)}` : `with ${first} ${text}`
  return { sql, parameters: [...parameters, ...entered] }
}

function toQueryResult({ command, rowCount, rows }: FullQueryResults<false>): QueryResult<unknown> {
  const isChange = command === 'INSERT' || command === 'UPDATE' || command === 'DELETE' || command === 'MERGE'
  return { rows, ...(isChange && { numAffectedRows: BigInt(rowCount) }) }
}

export function configuredDatabase(
  options: Partial<Pick<Connection, 'timeoutSeconds' | 'isRepeatable'>> = {},
): Database {
  const { DATABASE_ENDPOINT, DATABASE_SECRET, DATABASE_URL } = config()
  const url = secret({ value: DATABASE_URL, id: DATABASE_SECRET })
  return new Database({ url, endpoint: DATABASE_ENDPOINT, timeoutSeconds: 10, ...options })
}

export function violates(error: unknown, constraint: string): boolean {
  return error instanceof NeonDbError && error.constraint === constraint
}

export function waitedTooLong(error: unknown): boolean {
  return error instanceof NeonDbError && error.code === lockNotAvailable
}

export function useEndpoint(origin: string): void {
  neonConfig.fetchEndpoint = `${origin}/sql`
}

function isRolledBack(error: unknown): boolean {
  return error instanceof NeonDbError && (error.code === serializationFailure || error.code === deadlock)
}

/**
 * For a wrong password, unknown role or deleted database, Neon's proxy returns no SQLSTATE. For a role that Postgres rejects, the
 * SQLSTATE is in the message.
 */
function isLoginRejected(error: unknown): boolean {
  if (!(error instanceof NeonDbError)) return false
  return error.code
    ? error.code.startsWith('28')
    : /password authentication failed|endpoint could not be found|"code":\s*"28/.test(error.message)
}

/** The driver makes such an error of each of the proxy's responses except 200 and 400, whose JSON it reads. */
function hasStatus(error: unknown, status: number, text = ''): boolean {
  return (
    error instanceof NeonDbError &&
    error.message.startsWith(`Server error (HTTP status ${status})`) &&
    error.message.includes(text)
  )
}

function agentIsErased(cause: unknown): ApiError {
  return new ApiError('agent_not_found', noSuchAgent, { cause })
}

function tooLarge(cause: unknown): ApiError {
  const detail = 'This exceeds the 10 MiB that the database accepts or returns at a time. Send or request less.'
  return new ApiError('payload_too_large', detail, { cause })
}

/** True without a SQLSTATE (no response, a truncated one, not from Postgres) or for 08 connection, 53 resources, 57 timeouts, 28 login. */
function isUnreachable(error: unknown): boolean {
  return !(error instanceof NeonDbError && error.code) || /^(08|53|57|28)/.test(error.code)
}

const unconnected = /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT)$/

function isUnconnected(error: unknown): boolean {
  const cause = error instanceof NeonDbError ? error.sourceError?.cause : undefined
  return cause instanceof Error && 'code' in cause && unconnected.test(String(cause.code))
}

/** The driver quotes a connection string that it cannot read, password and all, and errors are logged. */
function withoutUrl(error: unknown, url: string): unknown {
  const isQuoted = error instanceof Error && error.message.includes(url)
  return isQuoted ? new Error('The connection string is malformed') : error
}

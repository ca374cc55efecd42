import { NeonDbError, neon, neonConfig } from '@neondatabase/serverless'
import { type CompiledQuery, Kysely } from 'kysely'
import { NeonDialect } from 'kysely-neon'
import { config } from './config.ts'
import { Unavailable } from './errors.ts'
import type { OrganizationId } from './ids.ts'
import { secret } from './secrets.ts'
import type { Tables } from './tables.ts'

export interface Connection {
  /** Gives the connection string; given one that was refused, another if there is one by now. */
  url: (refused?: string) => string | Promise<string>
  /** Origin that serves Neon's protocol in place of Neon's own hosts, for example http://127.0.0.1:4444. */
  endpoint?: string | undefined
  /** The longest a round trip may take. */
  timeoutSeconds: number
}

/** A query of Kysely's builder or its `sql` template. */
export interface Statement<Row = unknown> {
  compile(db: Kysely<Tables>): CompiledQuery<Row>
}
export type Results<Q extends readonly Statement[]> = {
  -readonly [K in keyof Q]: Q[K] extends Statement<infer Row> ? Row[] : never
}

/**
 * Postgres over Neon's SQL-over-HTTP: no connection to keep alive through a Lambda's freeze, one round trip a statement
 * or batch. Failures to reach the database are thrown as `Unavailable`, refusals by it as the driver's `NeonDbError`.
 */
export class Database extends Kysely<Tables> {
  readonly #connection: Connection
  readonly #organization: OrganizationId | undefined

  constructor(connection: Connection, organization?: OrganizationId) {
    const one = { query: async (sql: string, parameters: unknown[]) => (await this.#send([{ sql, parameters }]))[0] }
    super({ dialect: new NeonDialect({ neon: async () => one as unknown as ReturnType<typeof neon> }) })
    this.#connection = connection
    this.#organization = organization
    if (connection.endpoint) useEndpoint(connection.endpoint)
  }

  /** The same database, every statement of which row-level security confines to one organization. */
  forOrganization(id: OrganizationId): Database {
    return new Database(this.#connection, id)
  }

  /**
   * Runs the statements in one transaction and one round trip: all take effect or none. Each sees what those before it
   * did, and takes a fresh snapshot (read committed): a first statement that locks a row lets the next act on its newest state.
   */
  async batch<const Q extends readonly Statement[]>(...queries: Q): Promise<Results<Q>> {
    const results = await this.#send(queries.map((query) => query.compile(this)))
    return results.map((result) => result.rows) as Results<Q>
  }

  async #send(queries: Pick<CompiledQuery, 'sql' | 'parameters'>[]) {
    const scope = this.#organization ? [confineTo(this.#organization)] : []
    const results = await this.#retrying([...scope, ...queries])
    return results.slice(scope.length)
  }

  async #retrying(queries: Pick<CompiledQuery, 'sql' | 'parameters'>[]) {
    let url = await this.#connection.url()
    for (let attempt = 1; ; attempt++) {
      try {
        const sql = neon(url, { fullResults: true })
        return await sql.transaction(
          queries.map(({ sql: text, parameters }) => sql.query(text, [...parameters])),
          { fetchOptions: { signal: AbortSignal.timeout(this.#connection.timeoutSeconds * 1000) } },
        )
      } catch (error) {
        const refused = isRefusedLogin(error) ? url : undefined
        if (refused) url = await this.#connection.url(refused)
        const isRotated = refused !== undefined && url !== refused
        if (attempt < 3 && (isRotated || isRolledBack(error))) continue
        throw isUnreachable(error) ? new Unavailable('database', withoutUrl(error, url)) : error
      }
    }
  }
}

/** The database that the environment names. @param timeoutSeconds the longest a round trip may take */
export function configuredDatabase(timeoutSeconds = 15): Database {
  const { DATABASE_ENDPOINT, DATABASE_SECRET_ARN, DATABASE_URL } = config()
  const url = secret({ value: DATABASE_URL, arn: DATABASE_SECRET_ARN })
  return new Database({ url, endpoint: DATABASE_ENDPOINT, timeoutSeconds })
}

/** Whether the error is the violation of the named constraint. */
export function violates(error: unknown, constraint: string): boolean {
  return error instanceof NeonDbError && error.constraint === constraint
}

/** Whether the statement waited for a lock longer than `lock_timeout` allows; its batch was rolled back. */
export function waitedTooLong(error: unknown): boolean {
  return error instanceof NeonDbError && error.code === lockNotAvailable
}

/** Points the driver, for the whole process, at an endpoint that speaks Neon's protocol in place of Neon's own hosts. */
export function useEndpoint(origin: string): void {
  neonConfig.fetchEndpoint = `${origin}/sql`
  neonConfig.wsProxy = () => `${new URL(origin).host}/v2`
  neonConfig.useSecureWebSocket = false
  neonConfig.pipelineTLS = false
  neonConfig.pipelineConnect = false
}

/**
 * What an organization's statements read is a small part of each table and found by an index that leads with the organization;
 * the planner, going by old statistics, may take all for small enough to be read whole.
 */
function confineTo(organization: OrganizationId) {
  return {
    sql: `select set_config('cuecard.organization_id', $1, true), set_config('enable_seqscan', 'off', true)`,
    parameters: [organization],
  }
}

const serializationFailure = '40001'
const deadlock = '40P01'
const lockNotAvailable = '55P03'

function isRolledBack(error: unknown): boolean {
  return error instanceof NeonDbError && (error.code === serializationFailure || error.code === deadlock)
}

/**
 * To a wrong password or an unknown role Neon's proxy answers 400 without a SQLSTATE. A role that Postgres does not let in is
 * a 500, of which the driver keeps the body as the message. A message that comes with another SQLSTATE may quote anything.
 */
function isRefusedLogin(error: unknown): boolean {
  if (!(error instanceof NeonDbError)) return false
  return error.code ? error.code.startsWith('28') : /password authentication failed|"code":\s*"28/.test(error.message)
}

/** No SQLSTATE at all, or one of the classes 08 (connection), 53 (resources), 57 (operator intervention) and 28 (log-in). */
function isUnreachable(error: unknown): boolean {
  return error instanceof NeonDbError && (!error.code || /^(08|53|57|28)/.test(error.code))
}

/** The driver quotes a connection string that it cannot read, password and all, and errors are logged. */
function withoutUrl(error: unknown, url: string): unknown {
  const isQuoted = error instanceof Error && error.message.includes(url)
  return isQuoted ? new Error('The connection string is not one that the driver can read') : error
}

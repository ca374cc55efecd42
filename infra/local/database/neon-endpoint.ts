import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseError } from 'pg'
import * as v from 'valibot'
import { leakyBucket, type Size } from '../../../shared/limits/leaky-bucket.ts'
import { messageOf } from '../../error-message.ts'
import { AnswerTooLarge, maxBytes, type Options, runSql, type SqlBody, sqlBody, type Traffic } from './neon-sql.ts'
import type { Login, Session, Sessions } from './sessions.ts'

interface Backend extends Sessions {
  /** True if the password is the login's. Called for each request, even if the pool has a session. */
  isRight(login: Login): Promise<boolean>
}

interface NeonEndpoint {
  port: number
  /** Counts since the start. */
  traffic: Traffic
  close(): Promise<void>
}

/** An answer other than 200. */
class Refusal extends Error {
  readonly status: number
  readonly fields: object

  constructor(status: number, cause: unknown) {
    super(messageOf(cause))
    this.status = status
    this.fields = cause instanceof DatabaseError ? cause : {}
  }
}

/**
 * Serves Neon's SQL over HTTP on loopback, like its proxy: neondatabase/neon 6a35a3e, proxy/src/serverless. Comments name each rule's
 * file. Flags have their defaults, except `Neon-Pool-Opt-In`: connections are always pooled. It lacks TLS, WebSockets, JWTs, and values
 * other than raw text, which the driver never asks for. `close` waits for current statements.
 */
export async function startNeonEndpoint(backend: Backend, rate?: Size): Promise<NeonEndpoint> {
  const traffic: Traffic = { requests: 0, statements: 0, roundTrips: 0 }
  // leaky_bucket.rs, for requests of all logins together
  const admitted = rate && leakyBucket(() => performance.now(), rate)

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // mod.rs, request_handler
    if (request.method !== 'POST' || new URL(request.url!, 'http://proxy').pathname !== '/sql')
      return reply(response, 400, JSON.stringify('query is not supported'))
    traffic.requests += 1
    const login = loginOf(request.headers)
    const { options, echoed } = optionsOf(request.headers)
    const body = await bodyOf(request)
    if (admitted && admitted.wait() > 0)
      throw new Refusal(500, 'Too many connections to this endpoint. Please try again later.')
    admitted?.take()
    if (!(await backend.isRight(login)))
      throw new Refusal(400, `password authentication failed for user '${login.user}'`)
    const session = await backend.open(login).catch((error) => {
      throw new Refusal(error.code === noSuchDatabase ? 400 : 500, error)
    })
    const text = await untilGone(response, session, body, (signal) =>
      runSql(session.client, body, options, signal, traffic),
    )
    reply(response, 200, text, 'queries' in body ? echoed : {})
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error) => {
      const { status, message, fields } = error instanceof Refusal ? error : new Refusal(500, error)
      reply(response, status, JSON.stringify(errorBody(message, fields)))
    })
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    traffic,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

const noSuchDatabase = '3D000'
const queryCanceled = '57014'

/**
 * Cancels the statement of a disconnected caller and waits 100 ms for its end (sql_over_http.rs). A single statement that fails ends the
 * session, unless it was cancelled within that time. A failed batch is rolled back, and ends the session only if it was cancelled.
 */
async function untilGone(
  response: ServerResponse,
  session: Session,
  body: SqlBody,
  run: (signal: AbortSignal) => Promise<string>,
): Promise<string> {
  const gone = new AbortController()
  const patience = Promise.withResolvers<never>()
  response.once('close', async () => {
    if (response.writableEnded) return
    gone.abort()
    session.cancel()
    await sleep(100)
    patience.reject(new Error('the caller is gone'))
  })
  let isDiscarded = false
  try {
    return await Promise.race([run(gone.signal), patience.promise])
  } catch (error) {
    const wasCancelled = gone.signal.aborted
    const { code } = error as { code?: string }
    isDiscarded =
      'queries' in body ? wasCancelled || !(error instanceof DatabaseError) : !wasCancelled || code !== queryCanceled
    throw new Refusal(error instanceof AnswerTooLarge ? 507 : 400, error)
  } finally {
    session.release(isDiscarded)
  }
}

/** http_util.rs, get_conn_info. */
function loginOf({ 'neon-connection-string': header }: IncomingHttpHeaders): Login {
  const url = URL.parse(`${header}`)
  if (!/^postgres(ql)?:$/.test(url?.protocol ?? '')) throw new Refusal(400, 'invalid connection string')
  const [user, password, database] = [url!.username, url!.password, url!.pathname.slice(1)].map(decodeURIComponent)
  if (!user) throw new Refusal(400, 'missing username')
  if (!password) throw new Refusal(400, 'missing authentication credentials: required password')
  return { user, password, database: database! }
}

const levels = {
  ReadUncommitted: 'read uncommitted',
  ReadCommitted: 'read committed',
  RepeatableRead: 'repeatable read',
  Serializable: 'serializable',
}

/** sql_over_http.rs, HttpHeaders; transaction_builder.rs. A batch's answer repeats the headers that it honours. */
function optionsOf(headers: IncomingHttpHeaders): { options: Options; echoed: Record<string, string> } {
  const level = headers['neon-batch-isolation-level'] as keyof typeof levels | undefined
  if (level !== undefined && !Object.hasOwn(levels, level)) throw new Refusal(400, 'invalid isolation level')
  const modes: [string, string, string][] = [
    ['neon-batch-isolation-level', level ?? '', level ? `isolation level ${levels[level]}` : ''],
    ['neon-batch-read-only', 'true', 'read only'],
    ['neon-batch-deferrable', 'true', 'deferrable'],
  ]
  const asked = modes.filter(([name, value]) => value && headers[name] === value)
  return {
    options: { mode: asked.map(([, , mode]) => mode).join(', '), arrayMode: headers['neon-array-mode'] === 'true' },
    echoed: Object.fromEntries(asked.map(([name, value]) => [name, value])),
  }
}

/** http/mod.rs, read_body_with_limit; sql_over_http.rs, Payload. */
async function bodyOf(request: IncomingMessage): Promise<SqlBody> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    // The rest is read and dropped, so that the caller reads the answer.
    if (bytes <= maxBytes) chunks.push(chunk)
  }
  if (bytes > maxBytes) throw new Refusal(413, `request is too large (max is ${maxBytes} bytes)`)
  try {
    return v.parse(sqlBody, JSON.parse(Buffer.concat(chunks).toString()))
  } catch (error) {
    throw new Refusal(400, `could not parse the HTTP request body: ${messageOf(error)}`)
  }
}

const errorKeys = [
  ...['message', 'code', 'detail', 'hint', 'position', 'internalPosition', 'internalQuery', 'severity', 'where'],
  ...['table', 'column', 'schema', 'dataType', 'constraint', 'file', 'line', 'routine'],
]

/** sql_over_http.rs, handle: without an error of Postgres, code and severity are empty, and all but the message is null. */
export function errorBody(message: string, error: object) {
  const fields: Record<string, unknown> = { code: '', severity: '', ...error, message }
  return Object.fromEntries(errorKeys.map((key) => [key, fields[key] ?? null]))
}

function reply(response: ServerResponse, status: number, body: string, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
}

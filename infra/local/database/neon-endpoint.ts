import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import type { Pool, PoolClient } from 'pg'
import * as v from 'valibot'
import { messageOf } from '../../error-message.ts'
import { runSql, type SqlRequest, sqlBody, toErrorBody } from './neon-sql.ts'

export interface Backend {
  pool: Pool
  /** Statements of any other user run under its role. */
  owner: string
}

/** Serves Neon's SQL over HTTP (`POST /sql`) on loopback, without passwords and transaction modes. `close` waits for statements in flight. */
export async function startNeonEndpoint(backend: Backend): Promise<{ port: number; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    if (request.method === 'POST' && request.url === '/sql') void handle(backend, request, response)
    else response.writeHead(404).end('not found')
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

async function handle({ pool, owner }: Backend, request: IncomingMessage, response: ServerResponse) {
  const disconnected = new AbortController()
  response.once('close', () => disconnected.abort())
  let sqlRequest: SqlRequest
  try {
    sqlRequest = await toSqlRequest(request, owner)
  } catch (error) {
    return reply(response, 400, { message: `malformed request: ${(error as Error).message}` })
  }
  let client: PoolClient
  try {
    client = await pool.connect()
  } catch (error) {
    return reply(response, 503, `cannot connect to the database: ${messageOf(error)}`)
  }
  let broken: Error | undefined
  // Without a listener the server closing the connection would end this process.
  const onError = (error: Error) => {
    broken = error
  }
  client.on('error', onError)
  try {
    disconnected.signal.throwIfAborted()
    reply(response, 200, await runSql(client, sqlRequest, disconnected.signal))
  } catch (error) {
    const body = toErrorBody(error)
    if (body) reply(response, 400, body)
    else reply(response, 503, `lost the connection to the database: ${messageOf(error)}`)
  }
  client.release(broken)
  client.off('error', onError)
}

async function toSqlRequest(request: IncomingMessage, owner: string): Promise<SqlRequest> {
  const user = decodeURIComponent(new URL(`${request.headers['neon-connection-string']}`).username)
  return { body: v.parse(sqlBody, await json(request)), role: user === owner ? undefined : user }
}

function reply(response: ServerResponse, status: number, body: object | string | undefined) {
  const text = typeof body === 'string'
  response.writeHead(status, { 'content-type': text ? 'text/plain; charset=utf-8' : 'application/json' })
  response.end(text ? body : JSON.stringify(body))
}

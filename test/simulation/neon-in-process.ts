import { PGlite } from '@electric-sql/pglite'
import { vector } from '@electric-sql/pglite-pgvector'
import { neonConfig } from '@neondatabase/serverless'
import { Client } from 'pg'
import { runSql } from '../../infra/local/neon-sql.ts'
import * as initial from '../../infra/migrations/0001_initial.ts'
import * as roles from '../../infra/migrations/0002_roles.ts'
import * as resend from '../../infra/migrations/0003_resend.ts'
import * as cursors from '../../infra/migrations/0004_cursors.ts'
import * as rolePerFunction from '../../infra/migrations/0005_role_per_function.ts'
import { Database } from '../../shared/database.ts'
import { createScratchDatabase } from '../scratch-database.ts'

export interface Statement {
  query: string
  params: unknown[]
}
/** What Neon's `POST /sql` answers to a batch, or the error of its first failing statement. */
export type Outcome = { status: number; body: unknown }
/** Leaves out the results of the first `skipped`. */
export type RunSql = (queries: Statement[], skipped: number) => Promise<Outcome>

const owner = 'owner'

/**
 * A database for simulations: Neon's driver in front of it, without a socket between, so that a thousand histories take
 * minutes and every statement passes `intercept`. On the server of DATABASE_URL a scratch database, else PGlite.
 */
export async function openSimulatedDatabase(intercept: (run: () => Promise<Outcome>) => Promise<Outcome>) {
  const { DATABASE_URL: server } = process.env
  const { run, close } = server ? await onServer(server) : await onPglite()
  neonConfig.fetchFunction = async (
    _url: string,
    { body, headers }: { body: string; headers: Record<string, string> },
  ) => {
    const role = new URL(headers['Neon-Connection-String']!).username
    const become = role === owner ? [] : [{ query: `select set_config('role', $1, true)`, params: [role] }]
    const { status, body: answer } = await intercept(() => run([...become, ...JSON.parse(body).queries], become.length))
    // No streams: whoever awaits the answer goes on in the same turn of the event loop.
    return { ok: status === 200, status, json: async () => answer, text: async () => JSON.stringify(answer) }
  }
  /** The database as a Lambda under that role reaches it. */
  const as = (role: string) =>
    new Database({
      url: () => `postgres://${role}@simulation.example/db`,
      timeoutSeconds: 60,
      isRepeatable: role === 'cuecard_embedding',
    })
  const db = as(owner)
  await initial.up(db as never)
  await roles.up(db as never)
  await resend.up(db as never)
  await cursors.up(db as never)
  await rolePerFunction.up(db as never)
  return { db, as, close }
}

async function onServer(url: string) {
  const scratch = await createScratchDatabase(url)
  const client = new Client({ connectionString: scratch.url, types: { getTypeParser: () => (value: string) => value } })
  await client.connect()
  const run: RunSql = async (queries, skipped) => {
    try {
      const request = { body: { queries }, role: undefined, transactionMode: '' }
      const { results } = (await runSql(client, request, new AbortController().signal)) as { results: unknown[] }
      return { status: 200, body: { results: results.slice(skipped) } }
    } catch (error) {
      return { status: 400, body: { ...(error as object), message: (error as Error).message } }
    }
  }
  const close = async () => {
    await client.end()
    await scratch.drop()
  }
  return { run, close }
}

async function onPglite() {
  const pglite = await PGlite.create({ extensions: { vector } })
  /** The whole batch in one call: what stands before a Sync is one transaction. */
  const run: RunSql = async (queries, skipped) => {
    const message = Buffer.concat([...queries.flatMap(statementMessages), frame('S')])
    const { messages } = await pglite.execProtocol(message, { throwOnError: false, syncToFs: false })
    return toOutcome(messages as Message[], skipped)
  }
  return { run, close: () => pglite.close() }
}

interface Message {
  name: string
  message?: string
  text?: string
  fields?: { name: string; dataTypeID: number }[] | (string | null)[]
}

function toOutcome(messages: Message[], skipped: number): Outcome {
  const results: unknown[] = []
  let fields: unknown[] = []
  let rows: unknown[] = []
  for (const message of messages) {
    if (message.name === 'error') {
      const { name: _, ...error } = message
      return { status: 400, body: { ...error, message: message.message ?? (message as unknown as Error).message } }
    }
    if (message.name === 'rowDescription') fields = message.fields!
    if (message.name === 'dataRow') rows.push(message.fields)
    if (message.name === 'commandComplete') {
      results.push({ command: message.text?.split(' ')[0], rowCount: rows.length, rowAsArray: true, fields, rows })
      fields = []
      rows = []
    }
  }
  return { status: 200, body: { results: results.slice(skipped) } }
}

function statementMessages({ query, params }: Statement): Buffer[] {
  const values = params.map((value) => (value === null ? undefined : Buffer.from(String(value))))
  return [
    frame('P', text(''), text(query), int16(0)),
    frame('B', text(''), text(''), int16(0), int16(values.length), ...values.flatMap(parameter), int16(0)),
    frame('D', Buffer.from('P'), text('')),
    frame('E', text(''), int32(0)),
  ]
}

function parameter(value: Buffer | undefined): Buffer[] {
  return value ? [int32(value.length), value] : [int32(-1)]
}

function frame(type: string, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body])
}

const text = (value: string) => Buffer.from(`${value}\0`)

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16BE(value)
  return bytes
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}

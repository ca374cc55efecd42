import { mkdtemp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import {
  DeleteMessageBatchCommand,
  type Message,
  PurgeQueueCommand,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, SQSBatchResponse, SQSEvent } from 'aws-lambda'
import type { Pool } from 'pg'
import { beforeAll } from 'vitest'
import { mediaType } from '../../../functions/snapshot/schemas.ts'
import { openDatabase } from '../../../infra/local/database/database.ts'
import { createScratchDatabase } from '../../../infra/local/database/scratch-database.ts'
import { startEmulator } from '../../../infra/local/emulator.ts'
import { loadFunctions } from '../../../infra/local/functions.ts'
import { toEvent } from '../../../infra/local/gateway/event.ts'
import { invoke } from '../../../infra/local/lambda.ts'
import { migrate } from '../../../infra/migrations/migrate.ts'
import { lambdas, type QueueName, queues as queueSettings } from '../../../infra/wiring.ts'
import { configuredDatabase, type Database, useEndpoint } from '../../../shared/database/database.ts'
import type { Permission } from '../../../shared/organizations/permissions.ts'
import { assertDocumented } from '../http/contract.ts'
import { snapshotJson } from '../http/snapshot-json.ts'
import { entryOf } from './entry.ts'
import { makeTenant } from './tenant.ts'

export interface Answer {
  status: number
  headers: Record<string, string>
  /** The parsed JSON, or the text of any other media type; undefined when there is none. */
  // biome-ignore lint/suspicious/noExplicitAny: tests state what they expect of it
  body: any
}

export type Call = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>

export interface Tenant {
  organizationId: string
  agentId: string
  apiKey: string
  /** Path of the agent's documents. */
  knowledgeBase: string
  /** Calls with the tenant's key. A string or Buffer is sent unchanged, any other body as JSON. */
  call: Call
}

export type TestStand = ReturnType<typeof useStand>

/** The worker's: its files share it one after the other, each with an empty database and in the stand's environment. */
let running: ReturnType<typeof start> | undefined

/**
 * A scratch database on the server of DATABASE_URL, or an embedded one in memory; a queue; and the real Lambda handlers
 * (with CUECARD_BUNDLES as they are deployed), called with raw events. The tests of a file share them, and make an organization each.
 */
export function useStand() {
  let open: Awaited<ReturnType<typeof start>>
  beforeAll(async () => {
    const before = { ...process.env }
    running ??= start()
    open = await running
    await open.reset()
    return () => {
      for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name]
      Object.assign(process.env, before)
    }
  })

  /** One HTTP request, as a raw event through the Lambda that serves its route. Throws when the answer is undocumented. */
  async function http(method: string, url: string, body?: unknown, more: Record<string, string> = {}): Promise<Answer> {
    const isRaw = typeof body === 'string' || Buffer.isBuffer(body)
    const headers = { ...(body !== undefined && { 'content-type': 'application/json' }), ...more }
    const sent = { ...(body !== undefined && { body: isRaw ? body : JSON.stringify(body) }) }
    const routes = open.functions.routes.map(({ route }) => route)
    const event = toEvent({ method, url, headers, ...sent }, routes)!
    return await send(event)
  }

  async function send(event: APIGatewayProxyEventV2): Promise<Answer> {
    const { handler, functionName, timeoutSeconds } = open.functions.routes.find(({ route }) =>
      [route, `ANY ${route}`].includes(event.routeKey),
    )!
    const settings = { functionName: functionName!, timeoutSeconds: timeoutSeconds! }
    const result = (await invoke(handler, event, settings)) as APIGatewayProxyStructuredResultV2
    const sent = Buffer.from(result.body ?? '', result.isBase64Encoded ? 'base64' : 'utf8')
    const type = String(result.headers?.['content-type'])
    const isZipped = result.headers?.['content-encoding'] === 'gzip' && sent.length > 0
    const bytes = isZipped ? gunzipSync(sent) : type === mediaType && sent.length > 0 ? snapshotJson(sent) : sent
    const isJson = /json/.test(type) || type === mediaType
    const answer = {
      status: result.statusCode!,
      headers: result.headers as Record<string, string>,
      body: bytes.length === 0 ? undefined : isJson ? JSON.parse(bytes.toString()) : bytes.toString(),
    }
    assertDocumented(event.requestContext.http.method, event.rawPath, answer)
    return answer
  }

  async function tenant(granted?: Permission[]): Promise<Tenant> {
    const made = await makeTenant(open.db, granted)
    return {
      ...made,
      call: (method, path, body, headers) => http(method, path, body, { 'x-api-key': made.apiKey, ...headers }),
    }
  }

  async function work(name: QueueName, event: SQSEvent): Promise<SQSBatchResponse> {
    return (await invoke(open.functions[name], event, settingsOf(name))) as SQSBatchResponse
  }

  /** Gives the Lambda of a queue one batch with these message bodies. */
  const worker =
    (name: QueueName) =>
    async (...bodies: string[]): Promise<SQSBatchResponse> =>
      await work(name, { Records: bodies.map((body, i) => toRecord({ MessageId: `${i}`, Body: body })) })

  /** Takes messages from the embedding queue, or another, to its Lambda until none is visible. */
  async function deliver(name: QueueName = 'embedding'): Promise<void> {
    const { queueUrl: QueueUrl } = open.emulator.queues[name]
    for (;;) {
      const settings = {
        MaxNumberOfMessages: queueSettings[name].batchSize,
        MessageSystemAttributeNames: ['All' as const],
      }
      const { Messages = [] } = await open.sqs.send(new ReceiveMessageCommand({ QueueUrl, ...settings }))
      if (Messages.length === 0) return
      const event: SQSEvent = { Records: Messages.map(toRecord) }
      const { batchItemFailures } = await work(name, event)
      const failed = new Set(batchItemFailures.map((failure) => failure.itemIdentifier))
      const done = Messages.filter((message) => !failed.has(message.MessageId!))
      if (done.length === 0) continue
      const Entries = done.map((message, i) => ({ Id: `${i}`, ReceiptHandle: message.ReceiptHandle! }))
      await open.sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }))
    }
  }

  return {
    http,
    send,
    /** Undoes a test's own settings. */
    restoreEnvironment: () => open.restoreEnvironment(),
    tenant,
    embedding: worker('embedding'),
    extraction: worker('extraction'),
    crawler: worker('crawler'),
    deliver,
    /** Runs the sweeper Lambda once. */
    sweep: async () => invoke(open.functions.sweeper, {}, settingsOf('sweeper')),
    /** The database as its owner sees it. */
    get db(): Database {
      return open.db
    },
    /** Connections of the owner. */
    get pool(): Pool {
      return open.pool
    },
    /** The queue of the embedding Lambda. */
    get queue() {
      return open.emulator.queues.embedding
    },
    /** SQS and S3. */
    get emulator() {
      return open.emulator
    },
    get sqs(): SQSClient {
      return open.sqs
    },
    get functions() {
      return open.functions
    },
  }
}

async function start() {
  const { DATABASE_URL: server, DATABASE_IMAGE: image } = process.env
  const scratch = server ? await createScratchDatabase(server) : undefined
  const directory = process.env.RUN_DIRECTORY!
  if (scratch) await writeFile(join(directory, 'databases', new URL(scratch.url).pathname.slice(1)), '')
  // Races are seen at more requests a second than Neon lets in.
  const database = await openDatabase({ url: scratch?.url, pooler: process.env.DATABASE_POOLER, image, rate: null })
  const emulator = await startEmulator({ filesDir: await mkdtemp(join(directory, 'files-')) })
  useEndpoint(database.endpoint)
  await migrate(database.pool)
  await database.makeLogins()
  const functions = await loadFunctions(database, emulator, entryOf)
  process.env.DATABASE_URL = database.url
  process.env.ORIGIN = 'https://app.example.com'
  const env = { ...process.env }
  const sqs = new SQSClient()
  const { rows } = await database.pool.query<{ name: string }>(
    `select quote_ident(tablename) as name from pg_tables where schemaname = 'public' and tablename <> 'schema_migrations'`,
  )
  const tables = rows.map(({ name }) => name)
  return {
    functions,
    db: configuredDatabase(),
    pool: database.pool,
    emulator,
    sqs,
    restoreEnvironment: () => void Object.assign(process.env, env),
    /** Restores the state at the start. */
    async reset() {
      Object.assign(process.env, env)
      useEndpoint(database.endpoint)
      await database.pool.query(`truncate ${tables.join(', ')}`)
      const urls = Object.values(emulator.queues).flatMap(({ queueUrl, deadLetterUrl }) => [queueUrl, deadLetterUrl])
      for (const QueueUrl of urls) await sqs.send(new PurgeQueueCommand({ QueueUrl }))
    },
  }
}

const settingsOf = (name: QueueName | 'sweeper') => ({
  functionName: name,
  timeoutSeconds: lambdas[name].timeoutSeconds,
})

function toRecord(message: Message): SQSEvent['Records'][number] {
  return {
    messageId: message.MessageId!,
    receiptHandle: message.ReceiptHandle ?? '',
    body: message.Body!,
    attributes: (message.Attributes ?? { ApproximateReceiveCount: '1' }) as SQSEvent['Records'][number]['attributes'],
    messageAttributes: {},
    md5OfBody: message.MD5OfBody ?? '',
    eventSource: 'aws:sqs',
    eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:embedding',
    awsRegion: 'us-east-1',
  }
}

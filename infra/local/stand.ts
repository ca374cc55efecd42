import { join } from 'node:path'
import { SQSClient } from '@aws-sdk/client-sqs'
import { sql } from 'kysely'
import { Database, useEndpoint } from '../../shared/database/database.ts'
import { publishAddress } from '../data-directory/address.ts'
import { migrate } from '../migrations/migrate.ts'
import { lambdas, queueNames, queues } from '../wiring.ts'
import { type LocalDatabase, openDatabase } from './database/database.ts'
import { followModel } from './embedding-model.ts'
import { type Emulator, startEmulator } from './emulator.ts'
import { loadFunctions } from './functions.ts'
import { startGateway } from './gateway/gateway.ts'
import type { SentMail } from './mail.ts'
import { startEventSource } from './queue/event-source.ts'
import { every } from './schedule.ts'

interface StandOptions {
  dataDir?: string
  databaseUrl?: string | undefined
  port: number
  corsOrigins?: readonly string[]
  /** Called while the data directory is locked, to clean up after a killed stand. */
  onLocked?: () => Promise<void>
  onStep?: (step: string, milliseconds: number) => void
  onMail?: (mail: SentMail) => void
  /** Called when the embedded database has stopped. All later requests get 503. */
  onPanic?: (panic: Error) => void
  /** Ends the start after the current step. */
  signal?: AbortSignal
}

/**
 * Starts the system, once per process, because handlers read process.env.
 * @throws Error on one line if port, data directory or database is unavailable; the signal's reason after an abort
 */
export async function startStand(options: StandOptions) {
  const { dataDir, databaseUrl, port, corsOrigins, onLocked, onStep, onMail, onPanic, signal } = options
  const closers: (() => Promise<unknown>)[] = []
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer()
  }
  const step = async <T>(name: string | ((result: T) => string), run: () => Promise<T>) => {
    const started = performance.now()
    signal?.throwIfAborted()
    const result = await run()
    onStep?.(typeof name === 'string' ? name : name(result), performance.now() - started)
    return result
  }

  try {
    const title = databaseUrl ? 'PostgreSQL behind Neon’s protocol' : 'embedded PostgreSQL behind Neon’s protocol'
    const database = await step(title, () => openDatabase({ url: databaseUrl, dataDir, onPanic }))
    closers.push(database.close)
    await onLocked?.()
    const filesDir = dataDir && join(dataDir, 'files')
    const emulator = await step('SQS queues with dead letters, S3 bucket, SES', () =>
      startEmulator({ filesDir, onMail }),
    )
    closers.push(emulator.close)
    useEndpoint(database.endpoint)
    await step('migrations', () => migrate(database.pool, { place: databaseUrl === undefined ? dataDir : undefined }))
    await database.makeLogins()
    const db = new Database({ url: () => database.url, endpoint: database.endpoint, timeoutSeconds: 15 })
    if (dataDir) await step(modelStep, () => followModel(db, dataDir))
    if (databaseUrl === undefined) await releaseWork(db)
    const functions = await step('Lambda handlers', () => loadFunctions(database, emulator))
    const gateway = await step('HTTP gateway', () => startGateway({ port, corsOrigins, routes: functions.routes }))
    closers.push(gateway.close)
    process.env.ORIGIN ||= gateway.origin
    for (const host of ['127.0.0.1', 'localhost'])
      emulator.allowOrigin(`http://${host}:${new URL(gateway.origin).port}`)
    signal?.throwIfAborted()
    for (const name of queueNames) {
      const events = startEventSource({
        ...queues[name],
        ...emulator.queues[name],
        sqs: new SQSClient(),
        handler: functions[name],
        functionName: name,
        functionTimeoutSeconds: lambdas[name].timeoutSeconds,
      })
      closers.push(events.stop)
    }
    closers.push(every(lambdas.sweeper.everySeconds, functions.sweeper).stop)
    // A short time-out makes each run look once. A slow receiver delays no later run.
    closers.push(every(1, functions.delivery, { timeoutSeconds: 25, isParallel: true }).stop)
    if (dataDir) closers.push(await publishAddress(dataDir, addressOf(database, emulator, databaseUrl)))
    return { origin: gateway.origin, db, close }
  } catch (error) {
    await close()
    throw error
  }
}

function modelStep(agents: number): string {
  return agents === 0 ? 'embedding model' : `another embedding model: ${agents} agents change to it in the background`
}

export function addressOf(
  { url, endpoint }: Pick<LocalDatabase, 'url' | 'endpoint'>,
  { endpoint: sqs_endpoint, queues: { embedding, extraction, crawler } }: Pick<Emulator, 'endpoint' | 'queues'>,
  server_url?: string,
) {
  return {
    server_url,
    database_url: url,
    database_endpoint: endpoint,
    sqs_endpoint,
    queues: {
      QUEUE_URL: embedding.queueUrl,
      DEAD_LETTER_QUEUE_URL: embedding.deadLetterUrl,
      EXTRACTION_QUEUE_URL: extraction.queueUrl,
      EXTRACTION_DEAD_LETTER_QUEUE_URL: extraction.deadLetterUrl,
      CRAWLER_QUEUE_URL: crawler.queueUrl,
      CRAWLER_DEAD_LETTER_QUEUE_URL: crawler.deadLetterUrl,
    },
  }
}

/** Makes all unfinished work due, because the process that held its leases and messages has ended. */
export async function releaseWork(db: Database): Promise<void> {
  await db.batch({
    // Earlier than now(), because the next transaction may have the same time.
    processing: sql`update documents set lease_expires_at = now() - interval '1 second'
      where managed_by = 'service' and status = 'processing'`,
    pending: sql`update documents set next_attempt_at = null, resend_at = now()
      where managed_by = 'service' and status = 'pending'`,
    crawled: sql`update sources set lease_expires_at = now() - interval '1 second' where lease_token is not null`,
    due: sql`update sources set resend_at = now()`,
  })
}

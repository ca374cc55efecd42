import { join } from 'node:path'
import { SQSClient } from '@aws-sdk/client-sqs'
import type { APIGatewayProxyEventV2, ScheduledEvent, SQSBatchResponse, SQSEvent } from 'aws-lambda'
import { useEndpoint } from '../../shared/database.ts'
import { migrate } from '../migrations/migrate.ts'
import { type Lambda, type LambdaName, lambdas, queue as queueSettings } from '../wiring.ts'
import { openDatabase } from './database.ts'
import { startEventSource } from './event-source.ts'
import { type GatewayRoute, startGateway } from './gateway.ts'
import type { LambdaHandler } from './lambda.ts'
import { startQueue } from './queue.ts'
import { every } from './schedule.ts'

export interface StandOptions {
  /** Where the embedded database keeps its files; undefined keeps them in memory. */
  dataDir?: string
  /** A PostgreSQL server with pgvector to use in place of the embedded database. */
  databaseUrl?: string | undefined
  /** Port of the HTTP API on loopback; 0 picks a free one. */
  port: number
  /** Called as each step of the boot ends, with what it did and how many milliseconds it took. */
  onStep?: (step: string, milliseconds: number) => void
}

/**
 * The whole system in this process: the Lambda handlers that run on AWS, with what is behind the wire embedded. Sets the
 * environment that they read, so there is one stand a process. Rejects with a one-line Error when something is in the way.
 */
export async function startStand({ dataDir, databaseUrl, port, onStep }: StandOptions) {
  const closers: (() => Promise<unknown>)[] = []
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer()
  }
  const step = async <T>(name: string, run: () => Promise<T>): Promise<T> => {
    const started = performance.now()
    const result = await run()
    onStep?.(name, performance.now() - started)
    return result
  }

  try {
    const database = await step(
      databaseUrl ? 'PostgreSQL behind Neon’s protocol' : 'embedded PostgreSQL behind Neon’s protocol',
      () => openDatabase({ ...(databaseUrl && { url: databaseUrl }), ...(dataDir && { dataDir }) }),
    )
    closers.push(database.close)
    const queue = await step('SQS queue with dead letters', () => startQueue({}))
    closers.push(queue.close)
    Object.assign(process.env, environment(database, queue))
    useEndpoint(database.endpoint)
    const applied = await step('migrations', () => migrate(database.url))
    const [routes, embedding, sweep] = await step('Lambda handlers', () =>
      Promise.all([
        loadRoutes(),
        load<SQSEvent, SQSBatchResponse>('embedding'),
        load<ScheduledEvent, unknown>('sweeper'),
      ]),
    )
    const gateway = await step('HTTP gateway', () => startGateway({ host: '127.0.0.1', port, routes }))
    closers.push(gateway.close)
    const events = startEventSource({
      ...queueSettings,
      sqs: new SQSClient(),
      queueUrl: queue.queueUrl,
      queueArn: queue.queueArn,
      handler: embedding,
      functionTimeoutSeconds: lambdas.embedding.timeoutSeconds,
    })
    closers.push(events.stop)
    const sweeper = every(lambdas.sweeper.everySeconds, sweep)
    closers.push(sweeper.stop)
    return { origin: gateway.origin, database, applied, close }
  } catch (error) {
    await close()
    throw error
  }
}

function environment(database: { url: string; endpoint: string }, queue: { endpoint: string; queueUrl: string }) {
  return {
    DATABASE_URL: database.url,
    DATABASE_ENDPOINT: database.endpoint,
    QUEUE_URL: queue.queueUrl,
    AWS_ENDPOINT_URL_SQS: queue.endpoint,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
  }
}

/** Imports a Lambda's module, as a cold start does. */
async function load<Event, Result>(name: LambdaName): Promise<LambdaHandler<Event, Result>> {
  return (await import(join(import.meta.dirname, '../..', lambdas[name].entry))).handler
}

async function loadRoutes(): Promise<GatewayRoute[]> {
  const loaded = (Object.keys(lambdas) as LambdaName[]).map(async (name) => {
    const lambda: Lambda = lambdas[name]
    if (!lambda.routes) return []
    const handler = await load<APIGatewayProxyEventV2, unknown>(name)
    return lambda.routes.map((route) => ({ route, handler, functionName: name, timeoutSeconds: lambda.timeoutSeconds }))
  })
  return (await Promise.all(loaded)).flat()
}

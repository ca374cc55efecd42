import { join } from 'node:path'
import type { ScheduledEvent, SQSBatchResponse, SQSEvent } from 'aws-lambda'
import { useEndpoint } from '../../shared/database/database.ts'
import { type Lambda, type LambdaName, lambdas } from '../wiring.ts'
import type { LocalDatabase } from './database/database.ts'
import type { GatewayRoute } from './gateway/gateway.ts'
import { type LambdaHandler, region } from './lambda.ts'
import type { LocalQueue } from './queue/queue.ts'

export interface Functions {
  routes: GatewayRoute[]
  embedding: LambdaHandler<SQSEvent, SQSBatchResponse>
  sweeper: LambdaHandler<ScheduledEvent, unknown>
}

export async function loadFunctions(
  database: Pick<LocalDatabase, 'url' | 'endpoint'>,
  queue: Pick<LocalQueue, 'endpoint' | 'queueUrl'>,
  entryOf = sourceOf,
): Promise<Functions> {
  useEndpoint(database.endpoint)
  const routes: GatewayRoute[] = []
  const handlers: Record<string, LambdaHandler<never, never>> = {}
  for (const [name, lambda] of Object.entries(lambdas) as [LambdaName, Lambda][]) {
    Object.assign(process.env, {
      DATABASE_URL: lambda.database ? urlOfRole(database.url, `cuecard_${name}`) : '',
      DATABASE_ENDPOINT: database.endpoint,
      QUEUE_URL: queue.queueUrl,
      AWS_ENDPOINT_URL_SQS: queue.endpoint,
      AWS_REGION: region,
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
    })
    const { handler } = await import(entryOf(name))
    const { routes: served = [], timeoutSeconds } = lambda
    routes.push(...served.map((route) => ({ route, handler, functionName: name, timeoutSeconds })))
    handlers[name] = handler
  }
  const { embedding, sweeper } = handlers as unknown as Functions
  return { routes, embedding, sweeper }
}

export function sourceOf(name: LambdaName): string {
  return join(import.meta.dirname, '../..', lambdas[name].entry)
}

function urlOfRole(ownerUrl: string, role: string): string {
  const url = new URL(ownerUrl)
  url.username = role
  return url.href
}

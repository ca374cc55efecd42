import { join } from 'node:path'
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda'
import { useEndpoint } from '../../shared/database/database.ts'
import { urlOfRole } from '../postgres-url.ts'
import { type Lambda, type LambdaName, lambdas, type QueueName } from '../wiring.ts'
import type { LocalDatabase } from './database/database.ts'
import type { Emulator } from './emulator.ts'
import type { GatewayRoute } from './gateway/gateway.ts'
import { credentials, type LambdaHandler, region } from './lambda.ts'

export interface Functions extends Record<QueueName, LambdaHandler<SQSEvent, SQSBatchResponse>> {
  routes: GatewayRoute[]
  sweeper: LambdaHandler<object, unknown>
  delivery: LambdaHandler<object, unknown>
}

export async function loadFunctions(
  database: Pick<LocalDatabase, 'url' | 'endpoint'>,
  { endpoint, queues, bucket }: Pick<Emulator, 'endpoint' | 'queues' | 'bucket'>,
  entryOf = sourceOf,
): Promise<Functions> {
  useEndpoint(database.endpoint)
  const routes: GatewayRoute[] = []
  const handlers: Record<string, LambdaHandler<never, never>> = {}
  for (const [name, lambda] of Object.entries(lambdas) as [LambdaName, Lambda][]) {
    Object.assign(process.env, {
      DATABASE_URL: lambda.database ? urlOfRole(database.url, `cuecard_${name}`) : '',
      DATABASE_ENDPOINT: database.endpoint,
      QUEUE_URL: queues.embedding.queueUrl,
      EXTRACTION_QUEUE_URL: queues.extraction.queueUrl,
      CRAWLER_QUEUE_URL: queues.crawler.queueUrl,
      FILES_BUCKET: bucket,
      AWS_ENDPOINT_URL_SQS: endpoint,
      AWS_ENDPOINT_URL_S3: endpoint,
      AWS_ENDPOINT_URL_SESV2: endpoint,
      MAIL_FROM: process.env.MAIL_FROM || 'Cuecard <cuecard@localhost>',
      KEY_SIGN_IN: process.env.KEY_SIGN_IN || 'true',
      AWS_REGION: region,
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    })
    const { handler } = await import(entryOf(name))
    const { routes: served = [], timeoutSeconds } = lambda
    routes.push(...served.map((route) => ({ route, handler, functionName: name, timeoutSeconds })))
    handlers[name] = handler
  }
  return { ...(handlers as unknown as Functions), routes }
}

export function sourceOf(name: LambdaName): string {
  return join(import.meta.dirname, '../..', lambdas[name].entry)
}

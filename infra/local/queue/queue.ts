import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs'
import { buildApp } from 'fauxqs'
import { queue } from '../../wiring.ts'
import { messageOf } from '../error-message.ts'
import { region } from '../lambda.ts'
import { keepMessageGroups } from './message-groups.ts'

export interface LocalQueue {
  endpoint: string
  queueUrl: string
  queueArn: string
  deadLetterUrl: string
  deadLetterArn: string
  close(): Promise<void>
}

export async function startQueue({ port = 0 }: { port?: number } = {}): Promise<LocalQueue> {
  // Not startFauxqs(), which listens on every network interface.
  const app = buildApp({ logger: false })
  keepMessageGroups(app)
  app.addHook('preHandler', ({ body }, _reply, done) => {
    if (isQueueRequest(body)) body.QueueUrl = body.QueueUrl.replace(endpoint, origin)
    done()
  })
  let endpoint = ''
  let origin = ''
  try {
    endpoint = await app.listen({ port, host: '127.0.0.1' })
  } catch (error) {
    throw new Error(`cannot start the queue: ${messageOf(error)}`)
  }
  const sqs = new SQSClient({ endpoint, region, credentials: { accessKeyId: 'local', secretAccessKey: 'local' } })
  const create = async (QueueName: string, Attributes: Record<string, string>) => {
    const { QueueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName, Attributes }))
    // fauxqs's host (sqs.us-east-1.localhost) does not resolve everywhere, and the SDK may use the URL as its endpoint.
    origin = new URL(QueueUrl).origin
    return { url: QueueUrl.replace(origin, endpoint), arn: `arn:aws:sqs:${region}:000000000000:${QueueName}` }
  }
  const days = (count: number) => `${count * 24 * 60 * 60}`
  const deadLetters = await create('embedding-dead-letters', {
    MessageRetentionPeriod: days(queue.deadLetterRetentionDays),
  })
  const source = await create('embedding', {
    VisibilityTimeout: `${queue.visibilityTimeoutSeconds}`,
    MessageRetentionPeriod: days(queue.retentionDays),
    RedrivePolicy: JSON.stringify({
      deadLetterTargetArn: deadLetters.arn,
      maxReceiveCount: queue.maxReceiveCount,
    }),
  })
  sqs.destroy()
  return {
    endpoint,
    queueUrl: source.url,
    queueArn: source.arn,
    deadLetterUrl: deadLetters.url,
    deadLetterArn: deadLetters.arn,
    close: () => app.close(),
  }
}

const isQueueRequest = (body: unknown): body is { QueueUrl: string } =>
  typeof body === 'object' && body !== null && 'QueueUrl' in body && typeof body.QueueUrl === 'string'

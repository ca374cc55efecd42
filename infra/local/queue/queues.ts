import { CreateQueueCommand, type SQSClient } from '@aws-sdk/client-sqs'
import type { buildApp } from 'fauxqs'
import { type QueueName, queueNames, queues } from '../../wiring.ts'
import { region } from '../lambda.ts'

export interface LocalQueue {
  queueUrl: string
  queueArn: string
  deadLetterUrl: string
  deadLetterArn: string
}

export type LocalQueues = Record<QueueName, LocalQueue>

type App = ReturnType<typeof buildApp>

/** Replaces fauxqs's host in URLs by the endpoint, because that host does not resolve everywhere. @returns a function that does so with a URL */
export function onLoopback(app: App, endpoint: () => string): (queueUrl: string) => string {
  let origin = ''
  app.addHook('preHandler', ({ body }, _reply, done) => {
    if (isQueueRequest(body)) body.QueueUrl = body.QueueUrl.replace(endpoint(), origin)
    done()
  })
  return (queueUrl) => {
    origin = new URL(queueUrl).origin
    return queueUrl.replace(origin, endpoint())
  }
}

export async function createQueues(sqs: SQSClient, toLocal: (queueUrl: string) => string): Promise<LocalQueues> {
  const create = async (QueueName: string, Attributes: Record<string, string>) => {
    const { QueueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName, Attributes }))
    return { url: toLocal(QueueUrl), arn: `arn:aws:sqs:${region}:000000000000:${QueueName}` }
  }
  const createWithDeadLetters = async (name: QueueName): Promise<LocalQueue> => {
    const settings = queues[name]
    const { url: deadLetterUrl, arn: deadLetterArn } = await create(`${name}-dead-letters`, {
      MessageRetentionPeriod: days(settings.deadLetterRetentionDays),
    })
    const source = await create(name, {
      VisibilityTimeout: `${settings.visibilityTimeoutSeconds}`,
      MessageRetentionPeriod: days(settings.retentionDays),
      RedrivePolicy: JSON.stringify({ deadLetterTargetArn: deadLetterArn, maxReceiveCount: settings.maxReceiveCount }),
    })
    return { queueUrl: source.url, queueArn: source.arn, deadLetterUrl, deadLetterArn }
  }
  const created = await Promise.all(queueNames.map(async (name) => [name, await createWithDeadLetters(name)]))
  return Object.fromEntries(created)
}

const days = (count: number) => `${count * 24 * 60 * 60}`

const isQueueRequest = (body: unknown): body is { QueueUrl: string } =>
  typeof body === 'object' && body !== null && 'QueueUrl' in body && typeof body.QueueUrl === 'string'

import {
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Emulator, startEmulator } from '../../infra/local/emulator.ts'
import { credentials, region } from '../../infra/local/lambda.ts'
import type { LocalQueue } from '../../infra/local/queue/queues.ts'
import { type QueueName, queues } from '../../infra/wiring.ts'

let emulator: Emulator
let queue: LocalQueue
let sqs: SQSClient

beforeEach(async () => {
  emulator = await startEmulator()
  queue = emulator.queues.embedding
  sqs = new SQSClient({ endpoint: emulator.endpoint, region, credentials })
})
afterEach(async () => {
  sqs.destroy()
  await emulator.close()
})

const receive = async (QueueUrl: string, WaitTimeSeconds = 0): Promise<Message[]> => {
  const command = new ReceiveMessageCommand({
    QueueUrl,
    MaxNumberOfMessages: 10,
    WaitTimeSeconds,
    MessageSystemAttributeNames: ['All'],
  })
  return (await sqs.send(command)).Messages ?? []
}
const send = (MessageBody: string, options = {}) =>
  sqs.send(new SendMessageCommand({ QueueUrl: queue.queueUrl, MessageBody, ...options }))
const attributesOf = async (QueueUrl: string) =>
  (await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }))).Attributes

test.each(Object.keys(queues) as QueueName[])('the %s queue has the settings of the wiring', async (name) => {
  const queue = emulator.queues[name]
  expect(await attributesOf(queue.queueUrl)).toMatchObject({
    QueueArn: queue.queueArn,
    VisibilityTimeout: `${queues[name].visibilityTimeoutSeconds}`,
    RedrivePolicy: JSON.stringify({ deadLetterTargetArn: queue.deadLetterArn, maxReceiveCount: 5 }),
  })
  expect(await attributesOf(queue.deadLetterUrl)).toMatchObject({
    QueueArn: queue.deadLetterArn,
    MessageRetentionPeriod: '1209600',
  })
})

test('it is reached on loopback, by its endpoint as by its URL', async () => {
  expect(emulator.endpoint).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  vi.stubEnv('AWS_ENDPOINT_URL_SQS', emulator.endpoint)
  const fromEnvironment = new SQSClient({ region, credentials })
  await fromEnvironment.send(new SendMessageCommand({ QueueUrl: queue.queueUrl, MessageBody: 'hello' }))
  expect(await receive(queue.queueUrl)).toMatchObject([{ Body: 'hello' }])
  expect(new URL(queue.queueUrl).origin).toBe(emulator.endpoint)
  vi.unstubAllEnvs()
})

test('a message comes back with its group, whether or not somebody waits for it', async () => {
  await send('stored', { MessageGroupId: 'organization-1' })
  expect(await receive(queue.queueUrl)).toMatchObject([
    { Body: 'stored', Attributes: { MessageGroupId: 'organization-1', ApproximateReceiveCount: '1' } },
  ])
  const waiting = receive(queue.queueUrl, 20)
  await send('awaited', { MessageGroupId: 'organization-2' })
  expect(await waiting).toMatchObject([{ Body: 'awaited', Attributes: { MessageGroupId: 'organization-2' } }])
})

test('the messages of a batch come back with their groups', async () => {
  const Entries = ['a', 'b'].map((name) => ({ Id: name, MessageBody: name, MessageGroupId: `group-${name}` }))
  await sqs.send(
    new SendMessageBatchCommand({
      QueueUrl: queue.queueUrl,
      Entries: [...Entries, { Id: 'c', MessageBody: 'c' }],
    }),
  )
  const groups = (await receive(queue.queueUrl)).map(({ Body, Attributes }) => [Body, Attributes?.MessageGroupId])
  expect(groups).toEqual([
    ['a', 'group-a'],
    ['b', 'group-b'],
    ['c', undefined],
  ])
})

test('closing does not wait for those who wait for messages', async () => {
  const waiting = receive(queue.queueUrl, 20).catch(() => [])
  await send('wakes the receiver', { DelaySeconds: 900 })
  await emulator.close()
  expect(await waiting).toEqual([])
})

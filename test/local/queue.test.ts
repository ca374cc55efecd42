import {
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import { afterEach, beforeEach, expect, test } from 'vitest'
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

test('messages come back with their groups, one by one or in a batch, whether or not somebody waits for them', async () => {
  const Entries = [['a', 'group-a'], ['b', 'group-b'], ['c']].map(([name, MessageGroupId]) => ({
    Id: name,
    MessageBody: name,
    MessageGroupId,
  }))
  await sqs.send(new SendMessageBatchCommand({ QueueUrl: queue.queueUrl, Entries }))
  await send('stored', { MessageGroupId: 'group-d' })
  const groupsOf = (messages: Message[]) =>
    messages.map(({ Body, Attributes }) => `${Body} ${Attributes?.MessageGroupId}`)
  const stored = ['a group-a', 'b group-b', 'c undefined', 'stored group-d']
  expect(groupsOf(await receive(queue.queueUrl))).toEqual(stored)
  expect(queue.queueUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\//)
  const waiting = receive(queue.queueUrl, 20)
  await send('awaited', { MessageGroupId: 'group-e' })
  expect(groupsOf(await waiting)).toEqual(['awaited group-e'])
})

test('closing does not wait for receivers that wait for messages', async () => {
  const waiting = receive(queue.queueUrl, 20).catch(() => [])
  await send('wakes the receiver', { DelaySeconds: 900 })
  await emulator.close()
  expect(await waiting).toEqual([])
})

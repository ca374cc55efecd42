import { GetQueueAttributesCommand, SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs'
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Emulator, startEmulator } from '../../infra/local/emulator.ts'
import { credentials, region } from '../../infra/local/lambda.ts'
import { type EventSourceOptions, startEventSource } from '../../infra/local/queue/event-source.ts'
import type { LocalQueue } from '../../infra/local/queue/queues.ts'

let emulator: Emulator
let queue: LocalQueue
let sqs: SQSClient
const clientOf = (endpoint: string) =>
  new SQSClient({
    endpoint,
    region,
    maxAttempts: 1,
    credentials,
  })

beforeEach(async () => {
  emulator = await startEmulator()
  queue = emulator.queues.embedding
  sqs = clientOf(emulator.endpoint)
})
afterEach(async () => {
  sqs.destroy()
  await emulator.close()
})

const send = (...bodies: string[]) =>
  sqs.send(
    new SendMessageBatchCommand({
      QueueUrl: queue.queueUrl,
      Entries: bodies.map((MessageBody, index) => ({
        Id: `${index}`,
        MessageBody,
        MessageGroupId: 'organization',
      })),
    }),
  )

const start = (handler: EventSourceOptions['handler'], options: Partial<EventSourceOptions> = {}) =>
  startEventSource({
    sqs,
    queueUrl: queue.queueUrl,
    queueArn: queue.queueArn,
    handler,
    batchSize: 10,
    maximumConcurrency: 2,
    functionTimeoutSeconds: 60,
    waitTimeSeconds: 0,
    ...options,
  })

/** Sends `bodies`, lets the handler answer them once, and tells how many messages are left and what was complained of. */
async function outcome(answer: (event: SQSEvent) => unknown, bodies = ['a', 'b', 'c']) {
  await send(...bodies)
  const called = Promise.withResolvers<void>()
  const onError = vi.fn()
  const source = start(
    (event) => {
      called.resolve()
      return answer(event) as SQSBatchResponse
    },
    { onError },
  )
  await called.promise
  await source.stop()
  return { ...(await count()), errors: onError.mock.calls.map(([error]) => (error as Error).message) }
}

async function count() {
  const command = new GetQueueAttributesCommand({ QueueUrl: queue.queueUrl, AttributeNames: ['All'] })
  const { Attributes = {} } = await sqs.send(command)
  return {
    visible: Number(Attributes.ApproximateNumberOfMessages),
    hidden: Number(Attributes.ApproximateNumberOfMessagesNotVisible),
  }
}

test('a record has the shape of Lambda’s', async () => {
  const seen = Promise.withResolvers<{ event: SQSEvent; context: Context; remaining: number }>()
  await send('{"v":1}')
  const source = start(
    (event, context) => seen.resolve({ event, context, remaining: context.getRemainingTimeInMillis() }),
    { functionName: 'embedding' },
  )
  const { event, context, remaining } = await seen.promise
  await source.stop()
  expect(event).toEqual({
    Records: [
      {
        messageId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        receiptHandle: expect.any(String),
        body: '{"v":1}',
        attributes: {
          ApproximateReceiveCount: '1',
          SentTimestamp: expect.stringMatching(/^\d+$/),
          SenderId: expect.any(String),
          ApproximateFirstReceiveTimestamp: expect.stringMatching(/^\d+$/),
          MessageGroupId: 'organization',
        },
        messageAttributes: {},
        md5OfBody: 'a191475ae2bf7db9c7e320f7da455bbb',
        eventSource: 'aws:sqs',
        eventSourceARN: queue.queueArn,
        awsRegion: region,
      },
    ],
  })
  expect(context).toMatchObject({ functionName: 'embedding', awsRequestId: expect.stringMatching(/^[0-9a-f-]{36}$/) })
  expect(remaining).toBeGreaterThan(50_000)
  expect(remaining).toBeLessThanOrEqual(60_000)
})

test.each([
  ['nothing', undefined],
  ['null', null],
  ['an empty object', {}],
  ['no failures', { batchItemFailures: [] }],
  ['failures that are null', { batchItemFailures: null }],
])('a batch answered with %s has succeeded', async (_, answer) => {
  expect(await outcome(() => answer)).toEqual({ visible: 0, hidden: 0, errors: [] })
})

test('of a partial failure only what failed stays', async () => {
  const answer = ({ Records }: SQSEvent) => ({
    batchItemFailures: Records.filter(({ body }) => body === 'b').map(({ messageId: itemIdentifier }) => ({
      itemIdentifier,
    })),
  })
  expect(await outcome(answer)).toEqual({ visible: 0, hidden: 1, errors: [] })
})

test.each([
  ['a string', 'ok'],
  ['failures that are no list', { batchItemFailures: {} }],
  ['an id that is not in the batch', { batchItemFailures: [{ itemIdentifier: 'somebody-else' }] }],
  ['an empty id', { batchItemFailures: [{ itemIdentifier: '' }] }],
  ['an id under another name', { batchItemFailures: [{ messageId: 'x' }] }],
  ['a failure that is null', { batchItemFailures: [null] }],
])('a batch answered with %s has failed whole', async (_, answer) => {
  expect(await outcome(() => answer)).toEqual({
    visible: 0,
    hidden: 3,
    errors: [`invalid batch response, so the whole batch failed: ${JSON.stringify(answer)}`],
  })
})

test('a batch whose handler throws has failed whole', async () => {
  const answer = () => {
    throw new Error('boom')
  }
  expect(await outcome(answer)).toEqual({ visible: 0, hidden: 3, errors: ['boom'] })
})

test('a batch whose handler outlives its time-out has failed whole', async () => {
  await send('slow')
  const complaint = Promise.withResolvers<unknown>()
  const source = start(() => new Promise<void>(() => {}), {
    functionTimeoutSeconds: 0.02,
    functionName: 'embedding',
    onError: complaint.resolve,
  })
  expect(await complaint.promise).toMatchObject({ message: 'embedding timed out after 0.02 seconds' })
  await source.stop()
  expect(await count()).toEqual({ visible: 0, hidden: 1 })
})

test('no more batches are in flight than allowed, and stopping waits for them', async () => {
  await send('1', '2', '3', '4', '5')
  const gates: (() => void)[] = []
  const arrivals = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const source = start(
    () =>
      new Promise<void>((resolve) => {
        gates.push(resolve)
        arrivals[gates.length - 1]?.resolve()
      }),
    { batchSize: 1, maximumConcurrency: 2 },
  )
  await Promise.all(arrivals.map(({ promise }) => promise))
  const stopped = vi.fn()
  const stop = source.stop().then(stopped)
  expect(await count()).toEqual({ visible: 3, hidden: 2 })
  expect(stopped).not.toHaveBeenCalled()
  gates[0]?.()
  await vi.waitUntil(async () => (await count()).hidden === 1)
  expect(stopped).not.toHaveBeenCalled()
  gates[1]?.()
  await stop
  expect(await count()).toEqual({ visible: 3, hidden: 0 })
})

test('it goes on when a queue that was down is back', async () => {
  const { port } = new URL(emulator.endpoint)
  await emulator.close()
  const down = Promise.withResolvers<unknown>()
  const received = Promise.withResolvers<string | undefined>()
  const source = start(({ Records }) => received.resolve(Records[0]?.body), { onError: down.resolve })
  await down.promise
  emulator = await startEmulator({ port: Number(port) })
  queue = emulator.queues.embedding
  await send('after the outage')
  expect(await received.promise).toBe('after the outage')
  await source.stop()
})

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

beforeEach(async () => {
  emulator = await startEmulator()
  queue = emulator.queues.embedding
  sqs = new SQSClient({ endpoint: emulator.endpoint, region, maxAttempts: 1, credentials })
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

/** Sends three messages, lets the handler answer them once, and tells how many are left and what was complained of. */
async function outcome(answer: (event: SQSEvent) => unknown) {
  await send('a', 'b', 'c')
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

const failing = (event: SQSEvent, body: string) =>
  event.Records.filter((record) => record.body === body).map(({ messageId }) => ({ itemIdentifier: messageId }))

test.each<[string, number, (event: SQSEvent) => unknown]>([
  ['nothing', 0, () => undefined],
  ['null', 0, () => null],
  ['an empty object', 0, () => ({})],
  ['no failures', 0, () => ({ batchItemFailures: [] })],
  ['failures that are null', 0, () => ({ batchItemFailures: null })],
  ['one failure', 1, (event) => ({ batchItemFailures: failing(event, 'b') })],
])('of a batch answered with %s, %i stay', async (_, hidden, answer) => {
  expect(await outcome(answer)).toEqual({ visible: 0, hidden, errors: [] })
})

test.each([
  ...['ok', { batchItemFailures: {} }, { batchItemFailures: [null] }],
  ...[{ itemIdentifier: 'somebody-else' }, { itemIdentifier: '' }, { messageId: 'x' }].map((failure) => ({
    batchItemFailures: [failure],
  })),
])('a batch answered with %j has failed whole', async (answer) => {
  const error = `invalid batch response, so the whole batch failed: ${JSON.stringify(answer)}`
  expect(await outcome(() => answer)).toEqual({ visible: 0, hidden: 3, errors: [error] })
})

test('a batch whose handler throws has failed whole', async () => {
  expect(await outcome(() => Promise.reject(new Error('boom')))).toEqual({ visible: 0, hidden: 3, errors: ['boom'] })
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

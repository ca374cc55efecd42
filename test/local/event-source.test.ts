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

const send = (...bodies: string[]) => {
  const Entries = bodies.map((MessageBody, i) => ({ Id: `${i}`, MessageBody, MessageGroupId: 'organization' }))
  return sqs.send(new SendMessageBatchCommand({ QueueUrl: queue.queueUrl, Entries }))
}

const start = (handler: EventSourceOptions['handler'], options: Partial<EventSourceOptions> = {}) => {
  const { queueUrl, queueArn } = queue
  const usual = { batchSize: 10, maximumConcurrency: 2, functionTimeoutSeconds: 60, waitTimeSeconds: 0 }
  return startEventSource({ sqs, queueUrl, queueArn, handler, ...usual, ...options })
}

/** Sends three messages, lets the handler answer them once, and returns the number left and the logged faults. */
async function outcome(answer: (event: SQSEvent) => unknown, options: Partial<EventSourceOptions> = {}) {
  await send('a', 'b', 'c')
  const called = Promise.withResolvers<void>()
  const onError = vi.fn()
  const handler = (event: SQSEvent) => {
    called.resolve()
    return answer(event) as SQSBatchResponse
  }
  const source = start(handler, { onError, ...options })
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
  const [uuid, time] = [expect.stringMatching(/^[0-9a-f-]{36}$/), expect.stringMatching(/^\d+$/)]
  const attributes = {
    ApproximateReceiveCount: '1',
    SentTimestamp: time,
    ApproximateFirstReceiveTimestamp: time,
    SenderId: expect.any(String),
    MessageGroupId: 'organization',
  }
  const origin = { eventSource: 'aws:sqs', eventSourceARN: queue.queueArn, awsRegion: region }
  const md5OfBody = 'a191475ae2bf7db9c7e320f7da455bbb'
  const message = { messageId: uuid, receiptHandle: expect.any(String), body: '{"v":1}', md5OfBody }
  expect(event).toEqual({ Records: [{ ...message, ...origin, attributes, messageAttributes: {} }] })
  expect(context).toMatchObject({ functionName: 'embedding', awsRequestId: uuid })
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
])('of a batch answered with %s, %i messages stay', async (_, hidden, answer) => {
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

test('a batch whose handler throws, or outlives its time-out, has failed whole', async () => {
  expect(await outcome(() => Promise.reject(new Error('boom')))).toEqual({ visible: 0, hidden: 3, errors: ['boom'] })
  const options = { functionTimeoutSeconds: 0.02, functionName: 'embedding' }
  const errors = ['embedding timed out after 0.02 seconds']
  expect(await outcome(() => new Promise(() => {}), options)).toEqual({ visible: 0, hidden: 6, errors })
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
  await vi.waitUntil(async () => (await count()).hidden === 1, 30_000)
  expect(stopped).not.toHaveBeenCalled()
  gates[1]?.()
  await stop
  expect(await count()).toEqual({ visible: 3, hidden: 0 })
})

test('the event source continues when its queue is back', async () => {
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

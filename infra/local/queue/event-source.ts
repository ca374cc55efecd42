import { setTimeout as delay } from 'node:timers/promises'
import { DeleteMessageBatchCommand, type Message, ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs'
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda'
import { invoke, type LambdaHandler, logFailure } from '../lambda.ts'

export interface EventSourceOptions {
  sqs: SQSClient
  queueUrl: string
  queueArn: string
  // biome-ignore lint/suspicious/noConfusingVoidType: a Lambda handler may return nothing.
  handler: LambdaHandler<SQSEvent, SQSBatchResponse | void>
  functionTimeoutSeconds: number
  functionName?: string
  batchSize: number
  maximumConcurrency: number
  waitTimeSeconds?: number
  onError?: (error: unknown) => void
}

/** Supports ReportBatchItemFailures. `stop` resolves when no batch is in flight. */
export function startEventSource(options: EventSourceOptions): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const done = poll(options, stopping.signal)
  return {
    stop() {
      stopping.abort()
      return done
    },
  }
}

const initialPauseMs = 100
const maxPauseMs = 5_000

async function poll(options: EventSourceOptions, stopping: AbortSignal) {
  const { sqs, queueUrl, batchSize, maximumConcurrency, waitTimeSeconds = 1, onError = logFailure } = options
  const inFlight = new Set<Promise<void>>()
  let pauseMs = initialPauseMs
  while (!stopping.aborted) {
    if (inFlight.size >= maximumConcurrency) {
      await Promise.race(inFlight)
      continue
    }
    try {
      // stop() doesn't abort this, because the queue would deliver the next message to the disconnected receiver.
      const { Messages = [] } = await sqs.send(
        new ReceiveMessageCommand({
          QueueUrl: queueUrl,
          MaxNumberOfMessages: batchSize,
          WaitTimeSeconds: waitTimeSeconds,
          MessageSystemAttributeNames: ['All'],
        }),
      )
      pauseMs = initialPauseMs
      if (Messages.length === 0) continue
      const batch = deliver(options, Messages)
        .catch(onError)
        .finally(() => inFlight.delete(batch))
      inFlight.add(batch)
    } catch (error) {
      if (stopping.aborted) break
      onError(error)
      await delay(pauseMs, undefined, { signal: stopping }).catch(() => {})
      pauseMs = Math.min(2 * pauseMs, maxPauseMs)
    }
  }
  await Promise.all(inFlight)
}

async function deliver(options: EventSourceOptions, messages: Message[]) {
  const { sqs, queueUrl, queueArn, handler, functionTimeoutSeconds: timeoutSeconds, functionName = 'worker' } = options
  const event = { Records: messages.map((message) => toRecord(message, queueArn)) }
  const failed = failedIds(await invoke(handler, event, { functionName, timeoutSeconds }), event)
  const succeeded = event.Records.filter(({ messageId }) => !failed.has(messageId))
  if (succeeded.length === 0) return
  const Entries = succeeded.map(({ receiptHandle }, index) => ({ Id: `${index}`, ReceiptHandle: receiptHandle }))
  const { Failed = [] } = await sqs.send(new DeleteMessageBatchCommand({ QueueUrl: queueUrl, Entries }))
  if (Failed.length > 0) throw new Error(`${Failed.length} messages were not deleted: ${Failed[0]?.Message}`)
}

/** @throws Error where Lambda fails the whole batch: for a malformed response, or one that names a message outside the batch */
function failedIds(response: unknown, { Records }: SQSEvent): Set<string> {
  if (response === null || response === undefined) return new Set()
  const failures = (response as Partial<SQSBatchResponse>).batchItemFailures ?? []
  const delivered = new Set(Records.map(({ messageId }) => messageId))
  const isValid =
    typeof response === 'object' &&
    Array.isArray(failures) &&
    failures.every((failure) => delivered.has(failure?.itemIdentifier))
  if (!isValid) throw new Error(`invalid batch response, so the whole batch failed: ${JSON.stringify(response)}`)
  return new Set(failures.map(({ itemIdentifier }) => itemIdentifier))
}

function toRecord(message: Message, queueArn: string): SQSRecord {
  return {
    messageId: message.MessageId ?? '',
    receiptHandle: message.ReceiptHandle ?? '',
    body: message.Body ?? '',
    attributes: message.Attributes as unknown as SQSRecord['attributes'],
    messageAttributes: {},
    md5OfBody: message.MD5OfBody ?? '',
    eventSource: 'aws:sqs',
    eventSourceARN: queueArn,
    awsRegion: queueArn.split(':')[3] ?? '',
  }
}

import type { SQSBatchResponse, SQSRecord } from 'aws-lambda'
import { describeError, log } from '../telemetry/log.ts'
import { idsOf, type Kind, type Message, parseMessage } from './message.ts'
import type { Queue } from './outbox.ts'

/** A Lambda's work by kind: one attempt, which resolves to the seconds after which to redeliver the message, undefined when it is done. */
export type Workers = { readonly [K in Kind]?: (message: Message<K>) => Promise<number | undefined> }

type Redelivery = Pick<Queue, 'changeVisibility'>

/** Processes a batch's records at once. @returns those that are not done */
export async function consume(queue: Redelivery, records: SQSRecord[], workers: Workers): Promise<SQSBatchResponse> {
  const done = await Promise.all(records.map((record) => isDone(queue, record, workers)))
  const failed = records.filter((_, i) => !done[i])
  return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) }
}

/** Drops a message that is not the Lambda's, since the sweeper resends for every row with work to do. */
async function isDone(queue: Redelivery, record: SQSRecord, workers: Workers): Promise<boolean> {
  const message = parseMessage(record.body)
  const work = message && (workers[message.kind] as ((message: Message) => Promise<number | undefined>) | undefined)
  if (!work) {
    log.error('message_unreadable', { message_id: record.messageId })
    return true
  }
  try {
    const redeliverAfter = await work(message)
    if (redeliverAfter === undefined) return true
    await queue.changeVisibility(record.receiptHandle, redeliverAfter)
  } catch (error) {
    log.error('delivery_failed', { message_id: record.messageId, ...idsOf(message), error: describeError(error) })
  }
  return false
}

import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda'
import { describeError, log } from '../../shared/log.ts'
import { idsOf, parseMessage } from '../../shared/queue.ts'
import { type Pipeline, processDocument } from './process-document.ts'
import { type SharedRequests, sharedRequests } from './shared-requests.ts'

export function consumer(pipeline: Pipeline) {
  return async (event: SQSEvent, context: Pick<Context, 'getRemainingTimeInMillis'>): Promise<SQSBatchResponse> => {
    const remaining = () => context.getRemainingTimeInMillis()
    const shared = sharedRequests(pipeline)
    const failed = await Promise.all(event.Records.map((record) => consume(pipeline, shared, record, remaining)))
    return { batchItemFailures: failed.filter((id) => id !== undefined).map((itemIdentifier) => ({ itemIdentifier })) }
  }
}

/**
 * The record's id if it should be redelivered. A message that is not ours is dropped, with an error in the log: it will never be
 * readable, and no document depends on it, since the sweeper resends for whatever is pending.
 */
async function consume(
  pipeline: Pipeline,
  shared: SharedRequests,
  record: SQSRecord,
  remaining: () => number,
): Promise<string | undefined> {
  const work = parseMessage(record.body)
  if (!work) {
    log.error('message_unreadable', { message_id: record.messageId })
    return undefined
  }
  try {
    const afterSeconds = await processDocument(pipeline, shared, work, remaining)
    if (afterSeconds === undefined) return undefined
    await pipeline.queue.changeVisibility(record.receiptHandle, afterSeconds)
  } catch (error) {
    log.error('delivery_failed', {
      message_id: record.messageId,
      ...idsOf(work),
      error: describeError(error),
    })
  }
  return record.messageId
}

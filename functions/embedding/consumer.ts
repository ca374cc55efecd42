import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda'
import { describeError, log } from '../../shared/log.ts'
import { idsOf, parseMessage } from '../../shared/queue.ts'
import { type Pipeline, processDocument } from './process-document.ts'

/** The handler of a batch of messages: each is processed on its own, and only those that failed are delivered again. */
export function consumer(pipeline: Pipeline) {
  return async (event: SQSEvent, context: Pick<Context, 'getRemainingTimeInMillis'>): Promise<SQSBatchResponse> => {
    const remaining = () => context.getRemainingTimeInMillis()
    const failed = await Promise.all(event.Records.map((record) => consume(pipeline, record, remaining)))
    return { batchItemFailures: failed.filter((id) => id !== undefined).map((itemIdentifier) => ({ itemIdentifier })) }
  }
}

/**
 * The id of the record when it should be delivered again. A message that is not ours will never be readable, and no document
 * depends on it (the sweeper sends again for whatever is pending): it is dropped, with an error in the log.
 */
async function consume(pipeline: Pipeline, record: SQSRecord, remaining: () => number): Promise<string | undefined> {
  const work = parseMessage(record.body)
  if (!work) {
    log.error('message_unreadable', { message_id: record.messageId })
    return undefined
  }
  try {
    const afterSeconds = await processDocument(pipeline, work, remaining)
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

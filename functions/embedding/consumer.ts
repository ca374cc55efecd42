import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda'
import { log } from '../../shared/log.ts'
import { parseMessage } from '../../shared/queue.ts'
import { type Pipeline, processDocument } from './process-document.ts'

/** The handler of a batch of messages: each is done on its own, and only those that failed are delivered again. */
export function consumer(pipeline: Pipeline) {
  return async (event: SQSEvent): Promise<SQSBatchResponse> => {
    const failed = await Promise.all(event.Records.map((record) => consume(pipeline, record)))
    return { batchItemFailures: failed.filter((id) => id !== undefined).map((itemIdentifier) => ({ itemIdentifier })) }
  }
}

/** The id of the record when it should be delivered again. A message that is none of ours never gets better: it is dropped. */
async function consume(pipeline: Pipeline, record: SQSRecord): Promise<string | undefined> {
  const work = parseMessage(record.body)
  if (!work) {
    log.error('message_unreadable', { message_id: record.messageId })
    return undefined
  }
  try {
    await processDocument(pipeline, work)
    return undefined
  } catch (error) {
    log.error('delivery_failed', {
      message_id: record.messageId,
      request_id: work.requestId,
      document_id: work.documentId,
      error,
    })
    return record.messageId
  }
}

import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda'
import { describeError, log } from '../../shared/log.ts'
import { parseMessage } from '../../shared/queue.ts'
import { type Extraction, extractDocument } from './extract-document.ts'

/** One file after the other: each may take all of the Lambda's memory. */
export function consumer(extraction: Extraction) {
  return async ({ Records }: SQSEvent): Promise<SQSBatchResponse> => {
    const batchItemFailures: SQSBatchResponse['batchItemFailures'] = []
    for (const record of Records)
      if (!(await consume(extraction, record))) batchItemFailures.push({ itemIdentifier: record.messageId })
    return { batchItemFailures }
  }
}

/**
 * Whether the record is done. A message that is not ours is dropped, with an error in the log: it will never be readable, and no
 * document depends on it, since the sweeper sends for whatever is pending.
 */
async function consume(extraction: Extraction, record: SQSRecord): Promise<boolean> {
  const work = parseMessage(record.body)
  if (!work) {
    log.error('message_unreadable', { message_id: record.messageId })
    return true
  }
  try {
    const redeliverAfter = await extractDocument(extraction, work)
    if (redeliverAfter === undefined) return true
    await extraction.queue.changeVisibility(record.receiptHandle, redeliverAfter)
  } catch (error) {
    log.error('delivery_failed', { message_id: record.messageId, error: describeError(error) })
  }
  return false
}

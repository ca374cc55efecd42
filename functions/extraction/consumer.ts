import type { SQSBatchResponse, SQSEvent } from 'aws-lambda'
import { consume } from '../../shared/documents/processing/attempt.ts'
import { type Extraction, extractDocument } from './extract-document.ts'

/** Extracts one file after the other, since each may take all of the Lambda's memory. */
export function consumer(extraction: Extraction) {
  return async ({ Records }: SQSEvent): Promise<SQSBatchResponse> => {
    const batchItemFailures: SQSBatchResponse['batchItemFailures'] = []
    for (const record of Records)
      if (!(await consume(extraction.queue, record, (message) => extractDocument(extraction, message))))
        batchItemFailures.push({ itemIdentifier: record.messageId })
    return { batchItemFailures }
  }
}

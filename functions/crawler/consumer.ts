import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda'
import { consume } from '../../shared/documents/processing/attempt.ts'
import { parseCrawlMessage } from '../../shared/queue.ts'
import { type Crawler, crawlSource } from './crawl.ts'

/** Crawls one source after the other, since each may take all of the Lambda's time. */
export function consumer(crawler: Crawler) {
  return async (
    { Records }: SQSEvent,
    context: Pick<Context, 'getRemainingTimeInMillis'>,
  ): Promise<SQSBatchResponse> => {
    const batchItemFailures: SQSBatchResponse['batchItemFailures'] = []
    for (const record of Records) {
      const work = (message: NonNullable<ReturnType<typeof parseCrawlMessage>>) =>
        crawlSource(crawler, message, () => context.getRemainingTimeInMillis()).then(() => undefined)
      if (!(await consume(crawler.queue, record, work, parseCrawlMessage)))
        batchItemFailures.push({ itemIdentifier: record.messageId })
    }
    return { batchItemFailures }
  }
}

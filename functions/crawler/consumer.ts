import type { Context, SQSEvent } from 'aws-lambda'
import { consume, consumeInTurn } from '../../shared/documents/processing/attempt.ts'
import { type CrawlMessage, parseCrawlMessage } from '../../shared/queue.ts'
import { type Crawler, crawlSource } from './crawl.ts'

export function consumer(crawler: Crawler) {
  return (event: SQSEvent, context: Pick<Context, 'getRemainingTimeInMillis'>) => {
    const work = (message: CrawlMessage) => crawlSource(crawler, message, () => context.getRemainingTimeInMillis())
    return consumeInTurn(event.Records, (record) => consume(crawler.queue, record, work, parseCrawlMessage))
  }
}

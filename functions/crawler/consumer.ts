import type { Context, SQSEvent } from 'aws-lambda'
import { consume } from '../../shared/work/consume.ts'
import { type Crawler, crawlWebsite } from './crawl.ts'

export const consumer = (crawler: Crawler) => (event: SQSEvent, context: Pick<Context, 'getRemainingTimeInMillis'>) =>
  consume(crawler.queue, event.Records, {
    source: (message) => crawlWebsite(crawler, message, () => context.getRemainingTimeInMillis()),
  })

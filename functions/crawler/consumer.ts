import type { Context, SQSEvent } from 'aws-lambda'
import { consumeInTurn } from '../../shared/work/consume.ts'
import { type Crawler, crawlWebsite } from './crawl.ts'

export const consumer = (crawler: Crawler) => (event: SQSEvent, context: Pick<Context, 'getRemainingTimeInMillis'>) =>
  consumeInTurn(crawler.queue, event.Records, {
    source: (message) => crawlWebsite(crawler, message, () => context.getRemainingTimeInMillis()),
  })

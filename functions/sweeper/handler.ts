import type { Context } from 'aws-lambda'
import { configuredDatabase } from '../../shared/database/database.ts'
import { configuredBucket } from '../../shared/files/bucket.ts'
import { loaded } from '../../shared/loading.ts'
import { configuredQueue, configuredRoutedQueue } from '../../shared/queue.ts'
import { sweep } from './sweep.ts'

const sweeper = {
  db: configuredDatabase({ timeoutSeconds: 15 }),
  queue: configuredRoutedQueue(),
  crawlerQueue: configuredQueue('CRAWLER_QUEUE_URL'),
  bucket: configuredBucket(),
}

export const handler = (_event: unknown, context: Pick<Context, 'getRemainingTimeInMillis'>) =>
  sweep(sweeper, () => context.getRemainingTimeInMillis())

await loaded()

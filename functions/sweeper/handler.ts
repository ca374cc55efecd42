import type { Context } from 'aws-lambda'
import { configuredDatabase } from '../../shared/database/database.ts'
import { configuredBucket } from '../../shared/files/bucket.ts'
import { loaded } from '../../shared/loading.ts'
import { configuredSender } from '../../shared/work/sqs-queue.ts'
import { sweep } from './sweep.ts'

const sweeper = {
  db: configuredDatabase({ timeoutSeconds: 15 }),
  queue: configuredSender('embedding', 'extraction', 'crawler'),
  bucket: configuredBucket(),
}

export const handler = (_event: unknown, context: Pick<Context, 'getRemainingTimeInMillis'>) =>
  sweep(sweeper, () => context.getRemainingTimeInMillis())

await loaded()

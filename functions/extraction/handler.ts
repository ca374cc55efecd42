import { configuredDatabase } from '../../shared/database/database.ts'
import { configuredBucket } from '../../shared/files/bucket.ts'
import { loaded } from '../../shared/loading.ts'
import { configuredQueue } from '../../shared/work/sqs-queue.ts'
import { consumer } from './consumer.ts'
import { extractText } from './text/extract-text.ts'

export const handler = consumer({
  db: configuredDatabase({ timeoutSeconds: 30, isRepeatable: true }),
  bucket: configuredBucket(),
  queue: configuredQueue('extraction'),
  embeddingQueue: configuredQueue('embedding'),
  extractText,
})

await loaded()

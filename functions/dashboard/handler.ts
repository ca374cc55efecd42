import { configuredDatabase } from '../../shared/database/database.ts'
import { configuredEmbedder } from '../../shared/embedding/configured-embedder.ts'
import { configuredBucket } from '../../shared/files/bucket.ts'
import { lambdaHandler } from '../../shared/http/api.ts'
import { loaded } from '../../shared/loading.ts'
import { configuredRoutedQueue } from '../../shared/queue.ts'
import { dashboardApp } from './app.ts'

export const handler = lambdaHandler(
  dashboardApp({
    db: configuredDatabase(),
    queue: configuredRoutedQueue(),
    bucket: configuredBucket(),
    embedder: configuredEmbedder(),
  }),
)

await loaded()

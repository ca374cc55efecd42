import { semaphore } from '../../shared/concurrency/semaphore.ts'
import { config } from '../../shared/config.ts'
import { configuredDatabase } from '../../shared/database/database.ts'
import { configuredEmbedder } from '../../shared/embedding/configured-embedder.ts'
import { loaded } from '../../shared/loading.ts'
import { configuredQueue } from '../../shared/work/sqs-queue.ts'
import { callLimits, localCallLimits } from './batches.ts'
import { consumer } from './consumer.ts'

const { CHUNK_TOKENS, CHUNK_OVERLAP_TOKENS, EMBEDDING_CONCURRENCY } = config()

const embedder = configuredEmbedder()

export const handler = consumer({
  db: configuredDatabase({ timeoutSeconds: 60, isRepeatable: true }),
  queue: configuredQueue('embedding'),
  embedder,
  chunkSize: { targetTokens: CHUNK_TOKENS, overlapTokens: CHUNK_OVERLAP_TOKENS },
  callLimits: embedder.isLocal ? localCallLimits : callLimits,
  semaphore: semaphore(EMBEDDING_CONCURRENCY),
})

await loaded()

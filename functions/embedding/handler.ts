import { SQSClient } from '@aws-sdk/client-sqs'
import { config, required } from '../../shared/config.ts'
import { configuredDatabase } from '../../shared/database.ts'
import { configuredEmbedder } from '../../shared/embedder.ts'
import { sqsQueue } from '../../shared/queue.ts'
import { consumer } from './consumer.ts'

const { CHUNK_TOKENS, CHUNK_OVERLAP_TOKENS } = config()

export const handler = consumer({
  db: configuredDatabase(60),
  queue: sqsQueue(new SQSClient(), required('QUEUE_URL')),
  embedder: configuredEmbedder(),
  chunkSize: { targetTokens: CHUNK_TOKENS, overlapTokens: CHUNK_OVERLAP_TOKENS },
})

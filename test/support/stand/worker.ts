import type { SQSBatchResponse, SQSEvent } from 'aws-lambda'
import { callLimits } from '../../../functions/embedding/batches.ts'
import { consumer } from '../../../functions/embedding/consumer.ts'
import type { Pipeline } from '../../../functions/embedding/process-document.ts'
import type { Sweeper } from '../../../functions/sweeper/sweep.ts'
import { urlOfRole } from '../../../infra/postgres-url.ts'
import type { DatabaseUser } from '../../../infra/wiring.ts'
import { semaphore } from '../../../shared/concurrency/semaphore.ts'
import { Database } from '../../../shared/database/database.ts'
import { lexicalEmbedder } from '../../../shared/embedding/lexical-embedder.ts'
import { openAiEmbedder } from '../../../shared/embedding/openai-embedder.ts'
import { newId } from '../../../shared/ids.ts'
import type { Kind } from '../../../shared/work/message.ts'
import type { Queue, Sender } from '../../../shared/work/outbox.ts'
import { sqsQueue } from '../../../shared/work/sqs-queue.ts'
import { memoryBucket } from './memory-bucket.ts'
import type { TestStand } from './stand.ts'

/** The settings of a worker that a test may change. The others are the Lambda's, except for small chunks. */
export interface WorkerOptions extends Partial<Pipeline> {
  timeoutSeconds?: number
  concurrency?: number
  model?: string
}

/** An embedding Lambda of a test's own, on the stand's database and queue and the fake provider, which has the stand's model. */
export function newWorker(stand: TestStand, provider: { baseUrl: string }, options: WorkerOptions = {}) {
  const { timeoutSeconds = 10, concurrency = 4, model = lexicalEmbedder().model, ...rest } = options
  const handler = consumer({
    db: databaseAs('cuecard_embedding'),
    queue: sqsQueue(stand.queue.queueUrl),
    embedder: openAiEmbedder({ baseUrl: provider.baseUrl, model, apiKey: () => 'sk-test-key', timeoutSeconds }),
    chunkSize: { targetTokens: 12, overlapTokens: 0 },
    callLimits,
    semaphore: semaphore(concurrency),
    ...rest,
  })

  /** Delivers one batch with a message for each document. */
  return async (
    documents: { id: string; organizationId: string }[],
    remaining: () => number = () => 110_000,
  ): Promise<SQSBatchResponse> => {
    const Records = documents.map(({ id, organizationId }) => ({
      messageId: id,
      receiptHandle: newId(),
      body: workMessage({ organizationId, id }),
    }))
    return await handler({ Records } as unknown as SQSEvent, { getRemainingTimeInMillis: remaining })
  }
}

/** The message that the API, the dashboard, workers and the sweeper send. */
export function workMessage(work: { organizationId: string; id: string }, kind: Kind = 'document'): string {
  return JSON.stringify({ v: 1, organization_id: work.organizationId, kind, id: work.id })
}

const repeating = ['cuecard_crawler', 'cuecard_embedding', 'cuecard_extraction']

/** The stand's database as a Lambda under that role reaches it. */
export function databaseAs(role: `cuecard_${DatabaseUser}`): Database {
  const url = urlOfRole(process.env.DATABASE_URL!, role)
  return new Database({ url: () => url, timeoutSeconds: 15, isRepeatable: repeating.includes(role) })
}

/** A sweeper of a test's own, on the stand's database. */
export function sweeperWith(queue: Sender, bucket: Sweeper['bucket'] = memoryBucket()): Sweeper {
  return { db: databaseAs('cuecard_sweeper'), queue, bucket }
}

/** A queue that records its messages, for tests of sends. */
export function keptQueue() {
  const sent: { id: string; delaySeconds: number }[] = []
  const queue: Queue = {
    send: (work, delaySeconds = 0) => Promise.resolve(void sent.push({ id: work.id, delaySeconds })),
    changeVisibility: () => Promise.resolve(),
  }
  return { queue, sent }
}

import { consumer } from '../../../functions/embedding/consumer.ts'
import { semaphore } from '../../../shared/concurrency/semaphore.ts'
import type { Embedder } from '../../../shared/embedding/embedder.ts'
import type { Message } from '../../../shared/work/message.ts'
import type { Queue } from '../../../shared/work/outbox.ts'
import type { Tenant } from '../stand/stand.ts'
import { databaseAs, workMessage } from '../stand/worker.ts'

interface Options {
  queue?: Queue
  /** Milliseconds that the Lambda has left. */
  remaining?: () => number
}

/** A worker with an embedder of the test's own, and the messages that it sends, unless to another queue. */
export function workerWith(embedder: Embedder, options: Options = {}) {
  const sent: Message[] = []
  const {
    remaining = () => 110_000,
    queue = { send: async (work) => void sent.push(work), changeVisibility: async () => {} },
  } = options
  const handler = consumer({
    db: databaseAs('cuecard_embedding'),
    queue,
    embedder,
    chunkSize: { targetTokens: 12, overlapTokens: 0 },
    callLimits: { inputs: 512, tokens: 290_000 },
    semaphore: semaphore(4),
  })
  const deliver = (body: string) =>
    handler({ Records: [{ messageId: 'm', receiptHandle: 'r', body }] } as never, {
      getRemainingTimeInMillis: remaining,
    })
  return {
    queue,
    sent,
    deliver,
    embed: ({ organizationId }: Tenant, id: string) => deliver(workMessage({ organizationId, id })),
    change: ({ organizationId, agentId }: Tenant) => deliver(workMessage({ organizationId, id: agentId }, 'agent')),
  }
}

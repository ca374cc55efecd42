import { setTimeout } from 'node:timers/promises'
import { config } from '../../shared/config.ts'
import { configuredDatabase } from '../../shared/database/database.ts'
import { loaded } from '../../shared/loading.ts'
import { request } from '../../shared/outbound/request.ts'
import { configuredQueue } from '../../shared/work/sqs-queue.ts'
import { consumer } from './consumer.ts'
import { crawlClient } from './site/client.ts'

export const handler = consumer({
  db: configuredDatabase({ timeoutSeconds: 30, isRepeatable: true }),
  queue: configuredQueue('crawler'),
  embeddingQueue: configuredQueue('embedding'),
  client: crawlClient({
    request,
    contact: config().CRAWLER_CONTACT,
    isLoopbackAllowed: config().ALLOW_LOOPBACK,
    now: Date.now,
    sleep: (milliseconds) => setTimeout(milliseconds),
  }),
})

await loaded()

import { configuredDatabase } from '../../shared/database/database.ts'
import { lambdaHandler } from '../../shared/http/api.ts'
import { loaded } from '../../shared/loading.ts'
import { configuredQueue } from '../../shared/work/sqs-queue.ts'
import { agentsApp } from './app.ts'

export const handler = lambdaHandler(
  agentsApp({ db: configuredDatabase({ timeoutSeconds: 25 }), queue: configuredQueue('crawler') }),
)

await loaded()

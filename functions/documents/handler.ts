import { configuredDatabase } from '../../shared/database/database.ts'
import { configuredPresigner } from '../../shared/files/presigner.ts'
import { lambdaHandler } from '../../shared/http/api.ts'
import { loaded } from '../../shared/loading.ts'
import { configuredSender } from '../../shared/work/sqs-queue.ts'
import { documentsApp } from './app.ts'

export const handler = lambdaHandler(
  documentsApp({
    db: configuredDatabase(),
    queue: configuredSender('embedding', 'extraction'),
    presigner: configuredPresigner(),
  }),
)

await loaded()

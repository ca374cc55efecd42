import { lambdaHandler } from '../../shared/api.ts'
import { configuredDatabase } from '../../shared/database.ts'
import { configuredQueue } from '../../shared/queue.ts'
import { documentsApp } from './app.ts'

export const handler = lambdaHandler(documentsApp({ db: configuredDatabase(), queue: configuredQueue() }))

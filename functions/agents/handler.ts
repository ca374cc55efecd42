import { configuredDatabase } from '../../shared/database/database.ts'
import { lambdaHandler } from '../../shared/http/api.ts'
import { loaded } from '../../shared/loading.ts'
import { agentsApp } from './app.ts'

export const handler = lambdaHandler(agentsApp({ db: configuredDatabase() }))

await loaded()

import { configuredDatabase } from '../../shared/database/database.ts'
import { lambdaHandler } from '../../shared/http/api.ts'
import { loaded } from '../../shared/loading.ts'
import { organizationApp } from './app.ts'

export const handler = lambdaHandler(organizationApp({ db: configuredDatabase() }))

await loaded()

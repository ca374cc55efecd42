import { configuredDatabase } from '../../shared/database/database.ts'
import { lambdaHandler } from '../../shared/http/api.ts'
import { organizationApp } from './app.ts'

export const handler = lambdaHandler(organizationApp({ db: configuredDatabase() }))

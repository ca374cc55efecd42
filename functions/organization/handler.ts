import { lambdaHandler } from '../../shared/api.ts'
import { configuredDatabase } from '../../shared/database.ts'
import { organizationApp } from './app.ts'

export const handler = lambdaHandler(organizationApp({ db: configuredDatabase() }))

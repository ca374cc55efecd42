import { configuredDatabase } from '../../shared/database/database.ts'
import { lambdaHandler } from '../../shared/http/api.ts'
import { loaded } from '../../shared/loading.ts'
import { connectApp } from './app.ts'

export const handler = lambdaHandler(connectApp({ db: configuredDatabase() }))

await loaded()

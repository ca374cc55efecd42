import { configuredDatabase } from '../../shared/database/database.ts'
import { lambdaHandler } from '../../shared/http/api.ts'
import { loaded } from '../../shared/loading.ts'
import { chunksApp } from './app.ts'

export const handler = lambdaHandler(chunksApp({ db: configuredDatabase() }))

await loaded()

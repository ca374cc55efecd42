import { lambdaHandler } from '../../shared/api.ts'
import { configuredDatabase } from '../../shared/database.ts'
import { chunksApp } from './app.ts'

export const handler = lambdaHandler(chunksApp({ db: configuredDatabase() }))

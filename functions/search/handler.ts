import { lambdaHandler } from '../../shared/api.ts'
import { configuredEmbedder } from '../../shared/configured-embedder.ts'
import { configuredDatabase } from '../../shared/database.ts'
import { searchApp } from './app.ts'
import { timeouts } from './timeouts.ts'

const db = configuredDatabase({ timeoutSeconds: timeouts.databaseSeconds })

export const handler = lambdaHandler(searchApp({ db, embedder: configuredEmbedder() }))

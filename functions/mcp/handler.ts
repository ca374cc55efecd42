import { configuredDatabase } from '../../shared/database/database.ts'
import { configuredEmbedder } from '../../shared/embedding/configured-embedder.ts'
import { lambdaHandler } from '../../shared/http/api.ts'
import { loaded } from '../../shared/loading.ts'
import { mcpApp } from './app.ts'
import { timeouts } from './timeouts.ts'

const db = configuredDatabase({ timeoutSeconds: timeouts.databaseSeconds, isRepeatable: true })

export const handler = lambdaHandler(mcpApp({ db, embedder: configuredEmbedder() }))

await loaded()

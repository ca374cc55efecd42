import { configuredDatabase } from '../../shared/database/database.ts'
import { configuredEmbedder } from '../../shared/embedding/configured-embedder.ts'
import { lambdaHandler } from '../../shared/http/api.ts'
import { loaded } from '../../shared/loading.ts'
import { timeouts } from '../../shared/retrieval/timeouts.ts'
import { platformsApp } from './app.ts'

const db = configuredDatabase({ timeoutSeconds: timeouts.databaseSeconds, isRepeatable: true })

export const handler = lambdaHandler(platformsApp({ db, embedder: configuredEmbedder() }))

await loaded()

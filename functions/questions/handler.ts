import { configuredDatabase } from '../../shared/database/database.ts'
import { configuredEmbedder } from '../../shared/embedding/configured-embedder.ts'
import { lambdaHandler } from '../../shared/http/api.ts'
import { loaded } from '../../shared/loading.ts'
import { questionsApp } from './app.ts'

export const handler = lambdaHandler(questionsApp({ db: configuredDatabase(), embedder: configuredEmbedder() }))

await loaded()

import { lambdaHandler } from '../../shared/api.ts'
import { configuredEmbedder } from '../../shared/configured-embedder.ts'
import { configuredDatabase } from '../../shared/database.ts'
import { searchApp } from './app.ts'

export const handler = lambdaHandler(searchApp({ db: configuredDatabase(), embedder: configuredEmbedder() }))

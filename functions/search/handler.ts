import { lambdaHandler } from '../../shared/api.ts'
import { configuredDatabase } from '../../shared/database.ts'
import { configuredEmbedder } from '../../shared/embedder.ts'
import { searchApp } from './app.ts'

export const handler = lambdaHandler(searchApp({ db: configuredDatabase(), embedder: configuredEmbedder() }))

import { lambdaHandler } from '../../shared/http/api.ts'
import { referenceApp } from './app.ts'
import document from './openapi.json' with { type: 'json' }

export const handler = lambdaHandler(referenceApp({ document: JSON.stringify(document) }))

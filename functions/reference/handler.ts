import { lambdaHandler } from '../../shared/api.ts'
import { referenceApp } from './app.ts'

export const handler = lambdaHandler(referenceApp())

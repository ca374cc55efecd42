import { configuredDatabase } from '../../shared/database/database.ts'
import { lambdaHandler } from '../../shared/http/api.ts'
import { loaded } from '../../shared/loading.ts'
import { snapshotApp } from './app.ts'

const db = configuredDatabase({ isRepeatable: true })

export const handler = lambdaHandler(snapshotApp({ db }))

await loaded()

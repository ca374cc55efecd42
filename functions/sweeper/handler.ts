import type { Context } from 'aws-lambda'
import { configuredDatabase } from '../../shared/database/database.ts'
import { loaded } from '../../shared/loading.ts'
import { configuredQueue } from '../../shared/queue.ts'
import { sweep } from './sweep.ts'

const db = configuredDatabase({ timeoutSeconds: 40 })
const queue = configuredQueue()

export const handler = (_event: unknown, context: Pick<Context, 'getRemainingTimeInMillis'>) =>
  sweep(db, queue, () => context.getRemainingTimeInMillis())

await loaded()

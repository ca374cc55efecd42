import type { Context } from 'aws-lambda'
import { config } from '../../shared/config.ts'
import { configuredDatabase } from '../../shared/database/database.ts'
import { loaded } from '../../shared/loading.ts'
import { request } from '../../shared/outbound/request.ts'
import { deliver, timeoutMilliseconds } from './deliver.ts'

const { ALLOW_LOOPBACK: isLoopbackAllowed } = config()
const limits = { maxBytes: 0, milliseconds: timeoutMilliseconds, isLoopbackAllowed }

const deliverer = {
  db: configuredDatabase({ isRepeatable: true }),
  send: async (url: string, headers: Record<string, string>, body: string) =>
    (await request(url, { method: 'POST', headers, body, ...limits })).status,
}

export const handler = (_event: unknown, context: Pick<Context, 'getRemainingTimeInMillis'>) =>
  deliver(deliverer, () => context.getRemainingTimeInMillis())

await loaded()

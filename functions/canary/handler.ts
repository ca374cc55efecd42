import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from 'aws-lambda'
import { runCanary } from './canary.ts'
import { settings } from './settings.ts'

/** The time left for cleaning up and for the report. */
const marginMilliseconds = 15_000

export const handler = (_event: unknown, context: Pick<Context, 'getRemainingTimeInMillis'>) =>
  runCanary({
    ...settings(),
    signal: AbortSignal.timeout(Math.max(0, context.getRemainingTimeInMillis() - marginMilliseconds)),
    pause: () => sleep(1000),
  })

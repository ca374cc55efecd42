import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from 'aws-lambda'
import { runCanary } from './canary.ts'
import { type HookEvent, tryRelease } from './release.ts'
import { settings } from './settings.ts'

/** The time left for cleaning up and for the report. */
const marginMilliseconds = 15_000

/** A hook of CodeDeploy has an event; a schedule's and an operator's have nothing to say. */
export async function handler(event: Partial<HookEvent>, context: Pick<Context, 'getRemainingTimeInMillis'>) {
  const canary = {
    ...settings(),
    signal: AbortSignal.timeout(Math.max(0, context.getRemainingTimeInMillis() - marginMilliseconds)),
    pause: () => sleep(1000),
  }
  return event.DeploymentId ? await tryRelease(event as HookEvent, canary) : await runCanary(canary)
}

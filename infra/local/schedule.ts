import type { ScheduledEvent } from 'aws-lambda'
import { invoke, type LambdaHandler, logFailure, region } from './lambda.ts'

export interface ScheduleOptions {
  functionName?: string
  timeoutSeconds?: number
  onError?: (error: unknown) => void
}

/** Runs now and at the interval, one run at a time. `stop` waits for the current one. */
export function every(
  seconds: number,
  handler: LambdaHandler<ScheduledEvent, unknown>,
  { functionName = 'scheduled', timeoutSeconds = 60, onError = logFailure }: ScheduleOptions = {},
): { stop(): Promise<void> } {
  let running: Promise<void> | undefined
  const run = async () => {
    try {
      await invoke(handler, toScheduledEvent(functionName), { functionName, timeoutSeconds })
    } catch (error) {
      onError(error)
    }
    running = undefined
  }
  const start = () => {
    running ??= run()
  }
  const timer = setInterval(start, seconds * 1000)
  start()
  return {
    async stop() {
      clearInterval(timer)
      await running
    },
  }
}

export function toScheduledEvent(functionName: string): ScheduledEvent {
  return {
    version: '0',
    id: crypto.randomUUID(),
    'detail-type': 'Scheduled Event',
    source: 'aws.events',
    account: '000000000000',
    time: new Date().toISOString().replace(/\.\d+/, ''),
    region,
    resources: [`arn:aws:events:${region}:000000000000:rule/${functionName}`],
    detail: {},
  }
}

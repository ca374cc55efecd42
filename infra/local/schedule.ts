import type { ScheduledEvent } from 'aws-lambda'
import { invoke, type LambdaHandler, logFailure, region } from './lambda.ts'

export interface ScheduleOptions {
  functionName?: string
  timeoutSeconds?: number
  /** Lets a due run begin during another, as on AWS; otherwise it is skipped. */
  isParallel?: boolean
  onError?: (error: unknown) => void
}

/** Runs the handler now and at the interval. `stop` waits for current runs. */
export function every(
  seconds: number,
  handler: LambdaHandler<ScheduledEvent, unknown>,
  { functionName = 'scheduled', timeoutSeconds = 60, isParallel = false, onError = logFailure }: ScheduleOptions = {},
): { stop(): Promise<void> } {
  const running = new Set<Promise<void>>()
  const run = async () => {
    try {
      await invoke(handler, toScheduledEvent(functionName), { functionName, timeoutSeconds })
    } catch (error) {
      onError(error)
    }
  }
  const start = () => {
    if (running.size > 0 && !isParallel) return
    const started = run().finally(() => running.delete(started))
    running.add(started)
  }
  const timer = setInterval(start, seconds * 1000)
  start()
  return {
    async stop() {
      clearInterval(timer)
      await Promise.all(running)
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

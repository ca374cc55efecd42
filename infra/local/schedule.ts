import { invoke, type LambdaHandler, logFailure } from './lambda.ts'

interface ScheduleOptions {
  functionName?: string
  timeoutSeconds?: number
  /** Lets a due run begin during another, as on AWS; otherwise it is skipped. */
  isParallel?: boolean
  onError?: (error: unknown) => void
}

/** Runs the handler now and at the interval. `stop` waits for current runs. */
export function every(
  seconds: number,
  handler: LambdaHandler<object, unknown>,
  { functionName = 'scheduled', timeoutSeconds = 60, isParallel = false, onError = logFailure }: ScheduleOptions = {},
): { stop(): Promise<void> } {
  const running = new Set<Promise<void>>()
  const run = async () => {
    try {
      await invoke(handler, {}, { functionName, timeoutSeconds })
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

import { getHeapStatistics } from 'node:v8'
import { log } from './telemetry/log.ts'

const begun: Promise<unknown>[] = []

/** Starts work while a module loads, so that its first request does not wait for it. A failure reaches the code that uses the result. */
export function beginEarly(work: Promise<unknown>): void {
  begun.push(work.catch(() => {}))
}

/** A handler's module waits for this, so that the work runs in Lambda's init phase: at full CPU speed, and not cut off by a freeze. */
export async function loaded(): Promise<void> {
  log.info('cold_start', { heap_limit_mb: heapLimitMb() })
  await Promise.all(begun)
}

/** V8's limit of this process's heap, in megabytes. */
export function heapLimitMb(): number {
  return Math.round(getHeapStatistics().heap_size_limit / 2 ** 20)
}

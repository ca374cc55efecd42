import { report } from '../../telemetry/metrics.ts'
import type { Clock } from '../clock.ts'

const initialMilliseconds = 500
const minKnown = 20

/** Hedged calls (Dean & Barroso, The Tail at Scale, 2013): a second call begins past the 95th percentile, and the first response wins. */
export function hedging(clock: Clock) {
  const durations = recentDurations()

  /** @param mayHedge asked when the second call would begin @throws the error of the last call */
  return async function hedged<Result>(
    call: (signal: AbortSignal, isHedge: boolean) => Promise<Result>,
    mayHedge: () => boolean,
  ): Promise<Result> {
    const started = clock.now()
    const settled = new AbortController()
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    let running = 0
    const begin = (isHedge: boolean) => {
      running++
      call(settled.signal, isHedge).then(resolve, (error) => {
        if (--running === 0) reject(error)
      })
    }
    begin(false)
    const cancel = clock.after(durations.count < minKnown ? initialMilliseconds : durations.p95(), () => {
      if (!mayHedge()) return
      report({ ProviderHedges: 1 })
      begin(true)
    })
    try {
      const result = await promise
      // The time of the first call counts: with their own, hedges would begin ever earlier.
      durations.add(clock.now() - started)
      return result
    } finally {
      cancel()
      settled.abort()
    }
  }
}

const maxKept = 100

/** The last hundred durations, in milliseconds. */
export function recentDurations() {
  const kept: number[] = []
  let next = 0
  return {
    add(milliseconds: number): void {
      kept[next] = milliseconds
      next = (next + 1) % maxKept
    },
    get count(): number {
      return kept.length
    },
    p95(): number {
      return kept.toSorted((a, b) => a - b)[Math.ceil(0.95 * kept.length) - 1] ?? 0
    },
  }
}

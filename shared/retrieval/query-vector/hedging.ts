import { report } from '../../metrics.ts'
import type { Clock } from '../clock.ts'
import { recentDurations } from './recent-durations.ts'

/** Until enough calls are known to say what is slow. */
const initialMilliseconds = 500
const minKnown = 20

/**
 * Hedged calls (Dean & Barroso, The Tail at Scale, 2013): a second one begins when the first takes longer than nineteen of
 * twenty did, the first response wins, and the other call is aborted. A slow server costs twenty calls one more.
 */
export function hedging(clock: Clock) {
  const durations = recentDurations()

  /**
   * @param call ends soon after its signal is aborted
   * @param mayHedge asked when the second call would begin
   * @throws what the last call failed with
   */
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
      // Not the winner's own: durations of hedges alone would make the next ones begin ever earlier.
      durations.add(clock.now() - started)
      return result
    } finally {
      cancel()
      settled.abort()
    }
  }
}

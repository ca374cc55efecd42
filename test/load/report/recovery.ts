import { isServed, type Sample } from '../generator/stream.ts'
import { summarizeSamples } from './figures.ts'

/**
 * Whole seconds from the end of a peak until a second in which every request was served, with a p99 of at most twice that of the
 * time before the peak. Undefined where no such second came.
 * @param peak in seconds from the begin of the samples
 */
export function recoverySeconds(samples: readonly Sample[], peak: { from: number; to: number }): number | undefined {
  const between = (from: number, to: number) => samples.filter(({ at }) => at >= from * 1000 && at < to * 1000)
  const { p99: usual } = summarizeSamples(between(0, peak.from).filter(isServed))
  const last = Math.max(...samples.map(({ at }) => at)) / 1000
  for (let second = 0; peak.to + second + 1 <= last; second++) {
    const window = between(peak.to + second, peak.to + second + 1)
    if (window.length > 0 && window.every(isServed) && summarizeSamples(window).p99 <= 2 * usual) return second
  }
  return undefined
}

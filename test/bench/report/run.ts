import { type Measurement, ours } from '../part.ts'

/** The result of a run, as JSON. */
export interface Run {
  startedAt: string
  minutes: number
  isNative: boolean
  server: string
  machine: string
  versions: Record<string, string>
  remarks: string[]
  parts: { name: string; title: string; error?: string; measurements: Measured[] }[]
}

export interface Measured extends Omit<Measurement, 'samples'> {
  contestants: Record<string, Summary>
  bestPeer?: string
  /** The factor by which ours is better than the best peer. */
  ratio?: number
}

interface Summary {
  runs: number
  median: number
  /** The middle half of the runs lies between the two. */
  lower: number
  upper: number
  p95: number
  p99: number
  mean: number
}

export function toMeasured({ samples, ...measurement }: Measurement): Measured {
  const contestants = Object.fromEntries(Object.entries(samples).map(([name, each]) => [name, summarize(each)]))
  const isLess = measurement.better === 'less'
  const figure = (name: string) => figureOf(measurement, contestants[name]!)
  const [bestPeer] = Object.keys(contestants)
    .filter((name) => name !== ours)
    .sort((a, b) => (isLess ? figure(a) - figure(b) : figure(b) - figure(a)))
  if (bestPeer === undefined) return { ...measurement, contestants }
  const ratio = isLess ? figure(bestPeer) / figure(ours) : figure(ours) / figure(bestPeer)
  return { ...measurement, contestants, bestPeer, ratio }
}

/** The figure of a contestant that is compared. */
export function figureOf({ figure = 'median' }: Pick<Measurement, 'figure'>, summary: Summary): number {
  return summary[figure]
}

function summarize(samples: readonly number[]): Summary {
  const sorted = samples.toSorted((a, b) => a - b)
  return {
    runs: sorted.length,
    median: quantile(sorted, 0.5),
    lower: quantile(sorted, 0.25),
    upper: quantile(sorted, 0.75),
    p95: quantile(sorted, 0.95),
    p99: quantile(sorted, 0.99),
    mean: sorted.reduce((sum, sample) => sum + sample, 0) / sorted.length,
  }
}

/** Linear between the two nearest ranks; NaN of none. */
function quantile(sorted: readonly number[], q: number): number {
  const at = (sorted.length - 1) * q
  const below = sorted[Math.floor(at)]!
  return below + (sorted[Math.ceil(at)]! - below) * (at % 1)
}

import { type Goal, type Measurement, ours } from '../part.ts'
import { type Summary, summarize } from '../statistics.ts'

/** What a run leaves as JSON. */
export interface Run {
  startedAt: string
  minutes: number
  isQuick: boolean
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
  /** How many times better ours is than the best peer, and than each. */
  ratio?: number
  ratios: Record<string, number>
  met?: boolean
}

export function toMeasured({ samples, ...measurement }: Measurement): Measured {
  const contestants = Object.fromEntries(Object.entries(samples).map(([name, each]) => [name, summarize(each)]))
  const own = figureOf(measurement, contestants[ours])
  const theirs = Object.entries(contestants)
    .filter(([name]) => name !== ours)
    .map(([name, summary]) => [name, figureOf(measurement, summary)!] as const)
  const sign = measurement.better === 'less' ? 1 : -1
  const bestPeer = theirs.toSorted(([, a], [, b]) => sign * (a - b))[0]?.[0]
  const ratioTo = (figure: number) => (measurement.better === 'less' ? figure / own! : own! / figure)
  const ratios = own === undefined ? {} : Object.fromEntries(theirs.map(([name, figure]) => [name, ratioTo(figure)]))
  const ratio = bestPeer === undefined ? undefined : ratios[bestPeer]
  const met = measurement.goal && own !== undefined ? isMet(measurement.goal, own, ratios, ratio) : undefined
  return {
    ...measurement,
    contestants,
    ...(bestPeer !== undefined && { bestPeer }),
    ...(ratio !== undefined && { ratio }),
    ratios,
    ...(met !== undefined && { met }),
  }
}

/** The figure of a contestant that is compared. */
export function figureOf(
  { figure = 'median' }: Pick<Measurement, 'figure'>,
  summary: Summary | undefined,
): number | undefined {
  return summary?.[figure]
}

function isMet(goal: Goal, own: number, ratios: Record<string, number>, best: number | undefined): boolean | undefined {
  if ('atMost' in goal) return own <= goal.atMost
  if ('atLeast' in goal) return own >= goal.atLeast
  const ratio = goal.than === undefined ? best : ratios[goal.than]
  return ratio === undefined ? undefined : ratio >= goal.times
}

import type { Mix } from './generator/stream.ts'
import type { Play, Stage } from './stage/stage.ts'

export interface Scenario {
  name: string
  run(stage: Stage, basis: Basis): AsyncIterable<Measured>
}

/** What every scenario goes by. */
export interface Basis {
  /** Length of each scenario's load. */
  seconds: number
  /** Requests a second that the stand holds. */
  held: number
}

/** One line of the report. */
export interface Measured {
  title: string
  play: Play
  /** What the table has no column for. */
  remarks: string[]
}

/** A voice agent at work, and someone who looks after its documents. */
const quietMix: Mix = { search: 6, poll: 3, create: 1 }
const quietPerSecond = 5
export const othersMix: Mix = { search: 6, poll: 2, list: 1, create: 1 }

/** Of what the stand holds. */
export const steadyShare = 0.6

/** The quiet organization beside whatever else plays. */
export function quietly({ quiet }: Stage, seconds: number) {
  return { callers: [quiet], mix: quietMix, load: { arrivals: [{ seconds, perSecond: quietPerSecond }] } }
}

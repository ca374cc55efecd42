import type { Peers } from './stage/peers.ts'
import type { Server } from './stage/server.ts'

/** What `npm run bench` measures: one file under parts/ each, listed in parts/all.ts. */
export interface Part {
  name: string
  title: string
  /** Yields a measurement as soon as it is complete, so that a part that fails keeps what it has measured. */
  run(bench: Bench): AsyncGenerator<Measurement>
}

export interface Bench {
  /** Smaller sizes and fewer rounds: the whole in three minutes. */
  isQuick: boolean
  server: Server
  peers: Peers
  /** A line on stderr. */
  progress(text: string): void
}

/** Thrown by a part that this run does not measure; its message says why. */
export class LeftOut extends Error {}

export const ours = 'Cuecard'

export interface Measurement {
  work: string
  unit: string
  /** Which figure is the better one. */
  better: 'more' | 'less'
  /** What of the samples is compared; the median unless said. */
  figure?: 'median' | 'mean' | 'p95'
  goal?: Goal
  /** Contestant → one number per run, in the order of the runs. */
  samples: Record<string, number[]>
  /** What a reader must know to judge the figures. */
  remark?: string
  /** Chunks of the agent, for the chart. */
  size?: number
}

/** A bound on our figure, or on its ratio to the best or the named peer. */
export type Goal = { atMost: number } | { atLeast: number } | { times: number; than?: string }

import type { Peers } from './stage/peers.ts'
import type { Server } from './stage/server.ts'

/** A measurement of `npm run bench`. Each has a file in parts/; main.ts lists them. */
export interface Part {
  name: string
  title: string
  /** Yields a measurement as soon as it is complete, so that a part that fails keeps what it has measured. */
  run(bench: Bench): AsyncGenerator<Measurement>
}

export interface Bench {
  server: Server
  peers: Peers
  /** A line on stderr. */
  progress(text: string): void
}

export const ours = 'Cuecard'
/** The vector service that the README compares with. */
export const service = 'Chroma’s server'

export interface Measurement {
  work: string
  unit: string
  /** The direction in which figures improve. */
  better: 'more' | 'less'
  /** The figure of the samples to compare, by default the median. */
  figure?: 'median' | 'mean' | 'p95' | 'p99'
  /** Contestant → one number per run, in the order of the runs. */
  samples: Record<string, number[]>
  /** A note that a reader needs to judge the figures. */
  remark?: string
}

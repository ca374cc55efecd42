import type { Peers } from './stage/peers.ts'
import type { Server } from './stage/server.ts'

/** What `npm run bench` measures: one file under parts/ each, listed in main.ts. */
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

export interface Measurement {
  work: string
  unit: string
  /** Which figure is the better one. */
  better: 'more' | 'less'
  /** What of the samples is compared; the median unless said. */
  figure?: 'median' | 'mean' | 'p95'
  /** Contestant → one number per run, in the order of the runs. */
  samples: Record<string, number[]>
  /** What a reader must know to judge the figures. */
  remark?: string
}

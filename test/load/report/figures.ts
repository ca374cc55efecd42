import { quantile } from '../../bench/statistics.ts'
import { isServed, operations, type Sample } from '../generator/stream.ts'

/** Milliseconds; NaN where there is no sample. */
export interface Quantiles {
  p50: number
  p95: number
  p99: number
}

/** What one stream had of the stand. */
export interface Figures {
  sent: number
  served: number
  /** Of what was served. */
  latency: Quantiles
  /** p99 of what was refused with 429 or 503 and a `Retry-After`. */
  refusedP99: number
  /** How many ended how, but for those served. */
  outcomes: Record<string, number>
  /** p99 of how late the generator itself was. */
  lateP99: number
}

export function summarizeSamples(samples: readonly Sample[]): Quantiles {
  const sorted = samples.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b)
  return { p50: quantile(sorted, 0.5), p95: quantile(sorted, 0.95), p99: quantile(sorted, 0.99) }
}

export function figuresOf(samples: readonly Sample[]): Figures {
  const served = samples.filter(isServed)
  const late = samples.map((sample) => sample.late).sort((a, b) => a - b)
  const outcomes: Record<string, number> = {}
  for (const sample of samples) if (!isServed(sample)) outcomes[nameOf(sample)] = (outcomes[nameOf(sample)] ?? 0) + 1
  return {
    sent: samples.length,
    served: served.length,
    latency: summarizeSamples(served),
    refusedP99: summarizeSamples(samples.filter(isRefused)).p99,
    outcomes,
    lateP99: quantile(late, 0.99),
  }
}

/** As it should be past what the stand holds: with the time after which to try again. */
const isRefused = ({ outcome, hasRetryAfter }: Sample): boolean => (outcome === 429 || outcome === 503) && hasRetryAfter

function nameOf(sample: Sample): string {
  const isShedding = sample.outcome === 429 || sample.outcome === 503
  return isShedding && !isRefused(sample) ? `${sample.outcome} without Retry-After` : `${sample.outcome}`
}

/** Of each operation that was sent. */
export function figuresByOperation(samples: readonly Sample[]) {
  return operations
    .map((operation) => ({ operation, of: samples.filter((sample) => sample.operation === operation) }))
    .filter(({ of }) => of.length > 0)
    .map(({ operation, of }) => ({ operation, ...figuresOf(of) }))
}

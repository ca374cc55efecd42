export interface Summary {
  runs: number
  median: number
  /** The middle half of the runs lies between the two. */
  lower: number
  upper: number
  p95: number
  mean: number
}

export function summarize(samples: readonly number[]): Summary {
  const sorted = [...samples].sort((a, b) => a - b)
  return {
    runs: sorted.length,
    median: quantile(sorted, 0.5),
    lower: quantile(sorted, 0.25),
    upper: quantile(sorted, 0.75),
    p95: quantile(sorted, 0.95),
    mean: sorted.reduce((sum, sample) => sum + sample, 0) / sorted.length,
  }
}

/** Linear between the two nearest ranks; NaN of none. */
export function quantile(sorted: readonly number[], q: number): number {
  const at = (sorted.length - 1) * q
  const below = sorted[Math.floor(at)]!
  return below + (sorted[Math.ceil(at)]! - below) * (at % 1)
}

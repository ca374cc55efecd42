const maxKept = 100

/** The last hundred durations, in milliseconds. */
export function recentDurations() {
  const kept: number[] = []
  let next = 0
  return {
    add(milliseconds: number): void {
      kept[next] = milliseconds
      next = (next + 1) % maxKept
    },
    get count(): number {
      return kept.length
    },
    p95(): number {
      return kept.toSorted((a, b) => a - b)[Math.ceil(0.95 * kept.length) - 1] ?? 0
    },
  }
}

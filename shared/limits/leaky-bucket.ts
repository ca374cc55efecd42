/** What a bucket holds, and how fast what was taken comes back. */
export interface Size {
  perSecond: number
  burst: number
}

/** Of doubles, whose sums are not exact: a thousandth of a microsecond. */
const tolerance = 1e-6

/**
 * The leaky bucket as a meter, by the generic cell rate algorithm (ITU-T I.371), which keeps one time: when the bucket will be full again.
 * @param now milliseconds
 */
export function leakyBucket(now: () => number, initial: Size) {
  let size = initial
  let fullAt = 0
  const after = (count: number) => Math.max(fullAt, now()) + (count * 1000) / size.perSecond
  return {
    get size(): Size {
      return size
    },
    /** How many can be taken now. */
    left: () => ((now() - after(0)) * size.perSecond) / 1000 + size.burst,
    /** Milliseconds until one more can be taken; 0 if it can now. */
    wait(): number {
      const wait = after(1) - (size.burst * 1000) / size.perSecond - now()
      return wait > tolerance ? wait : 0
    },
    /** Whether or not it can: what cannot be refused is a debt. */
    take(count = 1): void {
      fullAt = after(count)
    },
    /** @param milliseconds after which it is full again */
    set(other: Size, milliseconds: number): void {
      size = other
      fullAt = now() + milliseconds
    },
  }
}

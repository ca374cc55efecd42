export interface Size {
  perSecond: number
  burst: number
}

/** Milliseconds: sums of doubles are not exact. */
const tolerance = 1e-6

/** Generic cell rate algorithm (ITU-T I.371): the whole state is the time, in milliseconds, when the bucket is full again. */
export function leakyBucket(now: () => number, initial: Size) {
  let size = initial
  let fullAt = 0
  const after = (count: number) => Math.max(fullAt, now()) + (count * 1000) / size.perSecond
  return {
    get size(): Size {
      return size
    },
    left: () => ((now() - after(0)) * size.perSecond) / 1000 + size.burst,
    /** Milliseconds until one more can be taken; 0 if it can now. */
    wait(): number {
      const wait = after(1) - (size.burst * 1000) / size.perSecond - now()
      return wait > tolerance ? wait : 0
    },
    take(count = 1): void {
      fullAt = after(count)
    },
    set(other: Size, millisecondsUntilFull: number): void {
      size = other
      fullAt = now() + millisecondsUntilFull
    },
  }
}

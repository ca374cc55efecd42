/** Gives out a bounded number of permits, first come first served. */
export interface Semaphore {
  /** Waits for a permit. @returns what releases it; more than one call of it does nothing */
  acquire(): Promise<() => void>
}

/**
 * A bound on how much goes on at once in this process. Whoever acquires one permit at a time, and the next only when it has
 * that one, shares fairly with the others: each has at most one place in the line.
 */
export function semaphore(permits: number): Semaphore {
  const waiting: (() => void)[] = []
  let free = permits

  function release() {
    const next = waiting.shift()
    if (next) next()
    else free++
  }

  return {
    async acquire() {
      if (free > 0) free--
      else await new Promise<void>((resolve) => waiting.push(resolve))
      let isHeld = true
      return () => {
        if (isHeld) release()
        isHeld = false
      }
    },
  }
}

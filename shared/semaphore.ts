/** Gives out a bounded number of places, first come first served. */
export interface Slots {
  /** Waits for a place. @returns what gives it back; more than one call of it does nothing */
  take(): Promise<() => void>
}

/**
 * A bound on how much goes on at once in this process. Whoever takes one place at a time, and the next only when it has
 * that one, shares fairly with the others: each has at most one place in the line.
 */
export function slots(count: number): Slots {
  const line: (() => void)[] = []
  let free = count

  function giveBack() {
    const next = line.shift()
    if (next) next()
    else free++
  }

  return {
    async take() {
      if (free > 0) free--
      else await new Promise<void>((resolve) => line.push(resolve))
      let isHeld = true
      return () => {
        if (isHeld) giveBack()
        isHeld = false
      }
    },
  }
}

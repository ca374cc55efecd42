/** Milliseconds since some fixed moment. */
export interface Clock {
  now(): number
  /** @returns a function that cancels it */
  after(milliseconds: number, act: () => void): () => void
}

export const systemClock: Clock = {
  now: () => performance.now(),
  after(milliseconds, act) {
    const timer = setTimeout(act, milliseconds)
    return () => clearTimeout(timer)
  },
}

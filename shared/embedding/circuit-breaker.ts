export interface Breaker {
  /** Whether a call may be made now. While open, one call at a time may, after each pause: the probe. */
  admits(): boolean
  /** Seconds until the next probe; 0 while closed. */
  remainingSeconds(): number
  /** Calls get through: everybody may call. */
  close(): void
  /** Calls get nowhere: nobody may call for a while, twice as long each time. */
  open(pauses: Pauses): void
  /** The call told nothing; another probe may be made. */
  release(): void
}

/** The first pause and the longest, in milliseconds. */
export interface Pauses {
  first: number
  longest: number
}

/** Stops calls that are known to get nowhere, for this process. @param now a clock in milliseconds */
export function breaker(now: () => number = Date.now): Breaker {
  let pause = 0
  let until = 0
  let isProbing = false
  return {
    admits() {
      if (pause === 0) return true
      if (isProbing || now() < until) return false
      isProbing = true
      return true
    },
    remainingSeconds: () => (pause === 0 ? 0 : Math.max(1, Math.ceil((until - now()) / 1000))),
    close() {
      pause = 0
      isProbing = false
    },
    open({ first, longest }) {
      // Calls that were under way together fail together: they count once.
      if (pause === 0 || isProbing) pause = Math.min(longest, pause === 0 ? first : pause * 2)
      until = now() + pause
      isProbing = false
    },
    release() {
      isProbing = false
    },
  }
}

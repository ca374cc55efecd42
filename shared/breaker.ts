export interface Breaker {
  /** Whether a call may be made now. While open, one call at a time may, after each pause: the probe. */
  admits(): boolean
  /** Seconds until the next probe; 0 while closed. */
  remainingSeconds(): number
  /** The call was accepted: everybody may call. */
  close(): void
  /** The call was refused: nobody may call for a while, twice as long each time. */
  open(): void
  /** The call told nothing; another probe may be made. */
  release(): void
}

const firstPause = 15_000
const longestPause = 600_000

/** Stops calls that are known to be refused, for this process. @param now a clock in milliseconds */
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
    open() {
      // Calls that were under way together are refused together: they count once.
      if (pause === 0 || isProbing) pause = Math.min(longestPause, pause === 0 ? firstPause : pause * 2)
      until = now() + pause
      isProbing = false
    },
    release() {
      isProbing = false
    },
  }
}

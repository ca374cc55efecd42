import { steadyNow } from '../time/steady-clock.ts'

export interface Pauses {
  /** Milliseconds. */
  initial: number
  max: number
}

export function circuitBreaker(now: () => number = steadyNow) {
  let state: 'closed' | 'open' | 'half-open' = 'closed'
  let pause = 0
  let openUntil = 0
  return {
    /** While open, admits one probe after each pause. */
    tryAcquire(): boolean {
      if (state === 'closed') return true
      if (state === 'half-open' || now() < openUntil) return false
      state = 'half-open'
      return true
    },
    retryAfterSeconds: () => (state === 'closed' ? 0 : Math.max(1, Math.ceil((openUntil - now()) / 1000))),
    onSuccess() {
      state = 'closed'
    },
    /** Opens for a pause that doubles with each failed probe. */
    onFailure({ initial, max }: Pauses) {
      if (state === 'closed') pause = initial
      else if (state === 'half-open') pause = Math.min(max, pause * 2)
      openUntil = now() + pause
      state = 'open'
    },
    /** Allows another probe, since the call did not show whether the provider works. */
    onInconclusive() {
      if (state === 'half-open') state = 'open'
    },
  }
}

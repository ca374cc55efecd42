import { circuitBreaker, type Pauses } from '../../embedding/circuit-breaker.ts'
import type { Clock } from '../clock.ts'

interface Outcome {
  /** What the call took, or had when it was broken off. */
  milliseconds: number
  isAnswered: boolean
}

const maxKept = 20
/** Of the last calls that say something about the next one, how many are looked at, and how many too late make it futile. */
const maxConsidered = 4
const minLate = 3
/** A shorter wait is not worth to be spared, and says little of a provider that works. */
const minMilliseconds = 500
/** By which the time that calls have differs though their callers' deadlines are the same. */
const tolerance = 100
/** Shorter than most outages, so that their end is soon noticed. */
const pauses: Pauses = { initial: 5_000, max: 60_000 }

/**
 * Which calls of the provider are likely to be answered in time: not those that have no more time than most of the last ones had
 * that came too late. After each pause one of them is made all the same, and shows whether that is still so. Whoever has more time
 * is not held up by those in a hurry.
 */
export function worthwhileCalls(clock: Clock) {
  const breaker = circuitBreaker(clock.now)
  let outcomes: Outcome[] = []

  function isFutile(available: number): boolean {
    const telling = outcomes.filter(({ milliseconds, isAnswered }) =>
      isAnswered ? milliseconds <= available : milliseconds >= available - tolerance,
    )
    return telling.slice(-maxConsidered).filter(({ isAnswered }) => !isAnswered).length >= minLate
  }

  function keep(outcome: Outcome): void {
    outcomes = [...outcomes, outcome].slice(-maxKept)
  }

  return {
    /** @returns `call` and `probe` are to be made and told of, by one of the functions below */
    begin(available: number): 'call' | 'probe' | 'futile' {
      if (available < minMilliseconds || !isFutile(available)) return 'call'
      return breaker.tryAcquire() ? 'probe' : 'futile'
    },
    /** Seconds until the next probe. */
    retryAfterSeconds: () => breaker.retryAfterSeconds(),
    onAnswer(kind: 'call' | 'probe', milliseconds: number): void {
      if (kind === 'probe') outcomes = []
      keep({ milliseconds, isAnswered: true })
      if (!isFutile(minMilliseconds)) breaker.onSuccess()
    },
    onLate(kind: 'call' | 'probe', available: number): void {
      if (available >= minMilliseconds) keep({ milliseconds: available, isAnswered: false })
      if (isFutile(available)) breaker.onFailure(pauses)
      else this.onOtherFailure(kind)
    },
    onOtherFailure(kind: 'call' | 'probe'): void {
      if (kind === 'probe') breaker.onInconclusive()
    },
  }
}

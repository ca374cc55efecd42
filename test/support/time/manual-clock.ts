import type { Clock } from '../../../shared/retrieval/clock.ts'

/** A clock that stands still until a test moves it, and then runs due actions in order. */
export function manualClock() {
  let now = 0
  let waiting: { at: number; act: () => void }[] = []
  const clock: Clock = {
    now: () => now,
    after(milliseconds, act) {
      const due = { at: now + milliseconds, act }
      waiting.push(due)
      return () => {
        waiting = waiting.filter((other) => other !== due)
      }
    },
  }
  return {
    ...clock,
    advance(milliseconds: number) {
      const until = now + milliseconds
      for (;;) {
        const [next] = waiting.toSorted((a, b) => a.at - b.at)
        if (!next || next.at > until) break
        waiting = waiting.filter((other) => other !== next)
        now = next.at
        next.act()
      }
      now = until
    },
  }
}

/** Of a wall clock against the elapsed time, in milliseconds: more than what is corrected all the time. */
const tolerance = 1_000

/**
 * A clock in milliseconds for what is to last so long and no longer, in the memory of a process. It begins as the wall clock and never
 * runs back: with that, what is kept for seconds would be kept for a day after the wall clock was set back by one. It goes ahead
 * with the wall clock, for elapsed time may stand still while a Lambda is frozen.
 */
export function steadyClock(
  wall: () => number = () => Date.now(),
  elapsed: () => number = () => performance.now(),
): () => number {
  let seen = wall() - elapsed()
  let ahead = seen
  return () => {
    const now = elapsed()
    const difference = wall() - now
    const step = difference - seen
    if (Math.abs(step) > tolerance) {
      seen = difference
      ahead += Math.max(0, step)
    }
    return now + ahead
  }
}

export const steadyNow = steadyClock()

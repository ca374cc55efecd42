/** Milliseconds by which the wall clock may differ from the elapsed time: more than routine corrections. */
const tolerance = 1_000

/**
 * A clock in milliseconds for what expires in a process's memory. It never runs back, so that a wall clock set back by a day
 * keeps nothing for a day; it follows the wall clock ahead, because elapsed time may stand still while a Lambda is frozen.
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

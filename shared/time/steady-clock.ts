/** Milliseconds by which the wall clock may differ from the elapsed time: more than routine corrections. */
const tolerance = 1_000

/** A clock in milliseconds for expiry in memory: it never runs back, and follows the wall clock ahead, since elapsed time may freeze. */
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

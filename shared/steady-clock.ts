/** Milliseconds by which the wall clock may differ from the elapsed time: more than routine corrections. */
const tolerance = 1_000

/** Milliseconds for what expires in memory: never runs back, and follows the wall clock ahead, as elapsed time may freeze. */
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

export interface Semaphore {
  /** Waits for a permit, first come first served. @returns a function that releases it; further calls do nothing */
  acquire(): Promise<() => void>
  /** Acts with a permit, which is released at its end. */
  run<Result>(act: () => Promise<Result>): Promise<Result>
}

/** Limits concurrency in this process. Callers that wait for one permit at a time share the permits fairly. */
export function semaphore(permits: number): Semaphore {
  const waiting: (() => void)[] = []
  let free = permits

  function release() {
    const next = waiting.shift()
    if (next) next()
    else free++
  }

  async function acquire() {
    if (free > 0) free--
    else await new Promise<void>((resolve) => waiting.push(resolve))
    let isReleased = false
    return () => {
      if (!isReleased) release()
      isReleased = true
    }
  }

  return {
    acquire,
    async run(act) {
      const done = await acquire()
      try {
        return await act()
      } finally {
        done()
      }
    },
  }
}

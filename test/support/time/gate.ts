/** A gate that opens, for good, when so many wait at it. */
export function gateFor(count: number): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  let waiting = 0
  return () => {
    if (++waiting >= count) resolve()
    return promise
  }
}

export const openGate = () => Promise.resolve()

import { setImmediate as turn } from 'node:timers/promises'

/** Long work that yields every few microseconds to milliseconds, so that its driver can let the event loop turn. */
export type Steps<Result> = Generator<void, Result>

const sliceMilliseconds = 20

export function atOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

export async function inTurns<Result>(steps: Steps<Result>): Promise<Result> {
  let end = performance.now() + sliceMilliseconds
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    if (performance.now() < end) continue
    await turn()
    end = performance.now() + sliceMilliseconds
  }
}

export function* mapped<Item, Result>(items: Item[], make: (item: Item) => Result): Steps<Result[]> {
  const results: Result[] = []
  for (const item of items) {
    results.push(make(item))
    yield
  }
  return results
}

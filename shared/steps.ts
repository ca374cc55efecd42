import { setImmediate as turn } from 'node:timers/promises'

/** Long work that pauses every few microseconds to milliseconds, so that whoever drives it may let others have a turn. */
export type Steps<Result> = Generator<void, Result>

/** What of a turn of the event loop the work may take: others wait about so long for theirs. */
const sliceMilliseconds = 20

/** Does the work without letting anything else happen. */
export function atOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

/** Does the work and lets the event loop turn about every 20 ms. */
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

/** `items.map(make)`, an item a step. */
export function* mapped<Item, Result>(items: Item[], make: (item: Item) => Result): Steps<Result[]> {
  const results: Result[] = []
  for (const item of items) {
    results.push(make(item))
    yield
  }
  return results
}

import type { Phase } from './stream.ts'

/** Poisson arrivals: the times between them are exponential. @returns milliseconds from the begin of the first phase, in order */
export function* arrivals(phases: readonly Phase[], uniform: () => number): Generator<number> {
  let begin = 0
  for (const { seconds, perSecond } of phases) {
    const end = begin + seconds * 1000
    let at = begin
    for (;;) {
      // The process has no memory, so a phase may begin it anew.
      at += (-Math.log(1 - uniform()) / perSecond) * 1000
      if (at >= end) break
      yield at
    }
    begin = end
  }
}

import { setImmediate } from 'node:timers/promises'

/** Requests that are started at once: one keeps the database busy beside the functions of the other. */
const few = 2

/** From one start to the next above that, in rounds of the event loop: a request takes some fifteen, and the rounds of an idle loop no time. */
const rounds = 30

type Run = () => Promise<void>

/**
 * Starts requests at once while there is time for them, and otherwise so that few are at work at a time, whatever else waits for a
 * provider. Those that have to wait take turns by caller: whoever sends little waits for one of each other's, not for all of them.
 */
export function takingTurns(): (caller: string, run: Run) => void {
  const waiting = new Map<string, Run[]>()
  let inWork = 0
  let isStarting = false

  async function startAll() {
    if (isStarting) return
    isStarting = true
    for (let next = takeNext(); next; next = takeNext()) {
      void start(next)
      for (let round = 0; inWork >= few && round < rounds; round++) await setImmediate()
    }
    isStarting = false
  }

  async function start(run: Run) {
    inWork++
    await run().finally(() => inWork--)
  }

  function takeNext(): Run | undefined {
    const [first] = waiting
    if (!first) return undefined
    const [caller, [next, ...others]] = first
    // A Map keeps the order in which keys are set: to the end of the line.
    waiting.delete(caller)
    if (others.length > 0) waiting.set(caller, others)
    return next
  }

  return (caller, run) => {
    const own = waiting.get(caller)
    if (own) own.push(run)
    else waiting.set(caller, [run])
    void startAll()
  }
}

import { setImmediate as breath, setTimeout as delay } from 'node:timers/promises'
import { random } from '../../bench/data/vectors.ts'
import { arrivals } from './arrivals.ts'
import { choose, requestFor } from './requests.ts'
import { sender } from './send.ts'
import { isServed, type Sample, type Stream } from './stream.ts'

/** What a sender in a loop waits when it is refused: far less than it is told to. */
const impatientMilliseconds = 50

/** Sends the stream. @param begin by `performance.now()`. @returns a sample of every request, once all have ended */
export async function play(stream: Stream, begin: number): Promise<Sample[]> {
  const { callers, mix, load } = stream
  const next = random(stream.seed)
  const uniform = () => next() / 2 ** 32
  const { send, close } = sender(stream.origin, stream.timeoutSeconds)
  let sent = 0

  async function one(at: number): Promise<Sample> {
    const operation = choose(mix, uniform())
    const late = performance.now() - begin - at
    const request = requestFor(operation, callers[sent++ % callers.length]!, next())
    const { outcome, hasRetryAfter, endedAt } = await send(request)
    return { operation, at, milliseconds: endedAt - begin - at, late, outcome, hasRetryAfter }
  }

  async function open(times: Iterable<number>): Promise<Sample[]> {
    const inFlight: Promise<Sample>[] = []
    for (const at of times) {
      const wait = begin + at - performance.now()
      // Even when it is late it must come to read responses.
      await (wait > 0 ? delay(wait) : breath())
      inFlight.push(one(at))
    }
    return await Promise.all(inFlight)
  }

  async function inALoop(seconds: number): Promise<Sample[]> {
    const samples: Sample[] = []
    await delay(Math.max(0, begin - performance.now()))
    for (;;) {
      const at = performance.now() - begin
      if (at >= seconds * 1000) return samples
      const sample = await one(at)
      samples.push(sample)
      if (!isServed(sample)) await delay(impatientMilliseconds)
    }
  }

  try {
    if ('arrivals' in load) return await open(arrivals(load.arrivals, uniform))
    const loops = Array.from({ length: load.senders }, () => inALoop(load.seconds))
    return (await Promise.all(loops)).flat()
  } finally {
    close()
  }
}

import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

export interface Timed {
  /** Since the import of the module began. */
  milliseconds: number
  /** The duration of the import or of the invocation only. */
  own: number
  /** Bytes, the most so far. */
  peak: number
  result?: unknown
}

// The process of one new Lambda instance: imports the module named in its argument, then answers events.
const start = performance.now()
const reply = (since: number, result?: unknown) =>
  process.send?.({
    milliseconds: performance.now() - start,
    own: performance.now() - since,
    peak: peakBytes(),
    result,
  } satisfies Timed)
const { handler } = await import(pathToFileURL(process.argv[2]!).href)
process.on('message', async (event) => {
  const since = performance.now()
  reply(since, await handler(event, { awsRequestId: 'bench', getRemainingTimeInMillis: () => 110_000 }))
})
process.once('disconnect', () => process.exit())
reply(start)

/** Linux counts into resourceUsage() what the process that began this one had at that moment. */
function peakBytes(): number {
  try {
    return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))![1]) * 1024
  } catch {
    return process.resourceUsage().maxRSS * 1024
  }
}

import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import type { Call, Reply } from './lambda-instance.ts'

// The process of one Lambda instance: imports the module in `_HANDLER` and answers events.
const start = performance.now()
const send = (reply: Reply) =>
  process.send?.({ ...reply, milliseconds: performance.now() - start, peakBytes: peakBytes() } satisfies Reply)
const { handler } = await import(pathToFileURL(process.env._HANDLER!).href)

process.on('message', async ({ id, event, deadline }: Call) => {
  const getRemainingTimeInMillis = () => Math.max(0, deadline - Date.now())
  try {
    send({ id, result: await handler(event, { awsRequestId: `${id}`, getRemainingTimeInMillis }) })
  } catch (error) {
    send({ id, error: String(error) })
  }
})
send({ id: 0 })

/** On Linux resourceUsage() includes the parent's usage at the start of this process. */
function peakBytes(): number {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS * 1024
  return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))![1]) * 1024
}

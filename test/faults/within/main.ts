// Loaded into the process of a stand before anything else, by `node --import`.
import { isMainThread } from 'node:worker_threads'
import { cutConnections, type Orders } from './connections.ts'

const RealDate = Date
const now = RealDate.now
let shift = 0

// Runs first, so that modules that keep a reference to Date.now keep this one.
RealDate.now = () => now() + shift
globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [RealDate.now()] : args, newTarget),
  apply: () => new RealDate(RealDate.now()).toString(),
})

if (isMainThread && process.send) {
  process.on('message', ({ cut, away, clockShift }: Orders) => {
    if (cut || away) cutConnections({ cut, away })
    if (clockShift !== undefined) shift = clockShift
  })
  // The process is not to live for its orders.
  process.channel?.unref()
}

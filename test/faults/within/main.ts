// Loaded into the process of a stand before anything else, by `node --import`.
import { isMainThread } from 'node:worker_threads'
import { cutConnections } from './connections.ts'
import type { Orders } from './orders.ts'
import { shiftClock } from './wall-clock.ts'

if (isMainThread && process.send) {
  process.on('message', ({ cut, away, clockShift }: Orders) => {
    if (cut || away) cutConnections({ cut, away })
    if (clockShift !== undefined) shiftClock(clockShift)
  })
  // The process is not to live for its orders.
  process.channel?.unref()
}

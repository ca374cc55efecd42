import { play } from './play.ts'
import type { Sample, Stream } from './stream.ts'

/** `beginAt` by the clock of all processes, in milliseconds since 1970. */
export interface Order {
  stream: Stream
  beginAt: number
}

// A process for each stream: a crowd that keeps one busy does not delay what another measures.
process.once('message', async ({ stream, beginAt }: Order) => {
  const samples: Sample[] = await play(stream, beginAt - performance.timeOrigin)
  process.send?.(samples, () => process.disconnect())
})
process.once('disconnect', () => process.exit())

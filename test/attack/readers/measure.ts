import { maxMicrosecondsPerByte, microsecondsPerByte } from '../../support/time/processor-time.ts'
import { patterns } from './patterns.ts'
import { isRefusal, readers } from './readers.ts'

const megabyte = 2 ** 20
/** If this share of a text takes at most this share of the limit per byte, the whole stays within the limit even with quadratic growth. */
const share = 1 / 8

/** A report if the reader takes too long for 1 MB or less of the pattern, else undefined. */
export async function excessOf(name: string, pattern: string): Promise<string | undefined> {
  const { limit = megabyte, most = maxMicrosecondsPerByte, all = megabyte, read } = readers[name]!
  for (const [size, max] of [
    [all * share, most * share],
    [all, most],
  ] as const) {
    const text = patterns[pattern]!(size)
    const spent = await microsecondsPerByte(text, async () => {
      for (let at = 0; at < text.length; at += limit) await unlessRefused(() => read(text.slice(at, at + limit)))
    })
    if (spent <= max) return undefined
    if (spent > most) return `${pattern}: ${spent.toFixed(1)} µs for each of ${Buffer.byteLength(text)} bytes`
  }
  return undefined
}

export async function unlessRefused(read: () => unknown): Promise<void> {
  try {
    await read()
  } catch (error) {
    if (!isRefusal(error)) throw error
  }
}

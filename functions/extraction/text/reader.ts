// The program of the child process.

import { Unreadable, type UnreadableCode } from '../../../shared/text/unreadable.ts'
import { type Extracted, readFile } from './read-file.ts'

export type ReaderReady = 'ready'
export type ReaderRequest = { file: Uint8Array; fileName: string }
type ReaderOutcome = Extracted | { unreadable: UnreadableCode; reason: string | undefined } | { fault: string }
export type ReaderReply = ReaderOutcome & { usedMb: number }
export type ReaderProgress = { pagesRead: number; pages: number }

process.on('message', (request: ReaderRequest) => void answer(request))
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))

process.send?.('ready' satisfies ReaderReady)

async function answer(request: ReaderRequest): Promise<void> {
  const outcome = await outcomeOf(request)
  process.send?.({ ...outcome, usedMb: Math.round(process.memoryUsage.rss() / 2 ** 20) } satisfies ReaderReply)
}

async function outcomeOf({ file, fileName }: ReaderRequest): Promise<ReaderOutcome> {
  try {
    // Copied, since in the message it may lie at an odd address.
    return await readFile(Buffer.from(file), fileName, (pagesRead, pages) => {
      process.send?.({ pagesRead, pages } satisfies ReaderProgress)
    })
  } catch (error) {
    if (error instanceof Unreadable)
      return { unreadable: error.code, reason: error.cause instanceof Error ? error.cause.message : undefined }
    // Deep nesting exhausts the stack, a huge text the length of a string.
    if (error instanceof RangeError) return { unreadable: 'too_complex', reason: error.message }
    return { fault: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}

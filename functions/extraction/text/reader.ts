// The program of the child process.
import { readFile } from './read-file.ts'
import type { ReaderOutcome, ReaderReady, ReaderReply, ReaderRequest } from './reader-messages.ts'
import { Unreadable } from './unreadable.ts'

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
    return await readFile(Buffer.from(file), fileName)
  } catch (error) {
    if (error instanceof Unreadable) return { unreadable: error.code, reason: reasonOf(error.cause) }
    // Deep nesting exhausts the stack, a huge text the length of a string.
    if (error instanceof RangeError) return { unreadable: 'too_complex', reason: error.message }
    return { fault: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}

function reasonOf(cause: unknown): string | undefined {
  return cause instanceof Error ? cause.message : undefined
}

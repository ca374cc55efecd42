import type { Extracted } from './read-file.ts'
import type { UnreadableCode } from './unreadable.ts'

/** The first message of the process. */
export type ReaderReady = 'ready'

export interface ReaderRequest {
  file: Uint8Array
  fileName: string
}

/** `fault`: an error of ours, with its stack. */
export type ReaderOutcome = Extracted | { unreadable: UnreadableCode; reason: string | undefined } | { fault: string }

/** `usedMb`: resident memory after the file. */
export type ReaderReply = ReaderOutcome & { usedMb: number }

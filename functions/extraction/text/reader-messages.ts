import type { Extracted } from './read-file.ts'
import type { UnreadableCode } from './unreadable.ts'

export type ReaderReady = 'ready'

export type ReaderRequest = { file: Uint8Array; fileName: string }

export type ReaderOutcome = Extracted | { unreadable: UnreadableCode; reason: string | undefined } | { fault: string }

export type ReaderReply = ReaderOutcome & { usedMb: number }

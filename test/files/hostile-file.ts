import type { UnreadableCode } from '../../shared/text/unreadable.ts'

export type Outcome = UnreadableCode | RegExp
/** Several outcomes where it is a matter of the machine. */
export type HostileFile = [what: string, fileName: string, outcome: Outcome | Outcome[], make: () => Buffer]
export const hostileFile = (...args: HostileFile) => args

import type { UnreadableCode } from '../../shared/text/unreadable.ts'

export type Outcome = UnreadableCode | RegExp
/** Several outcomes if they depend on the machine. */
export type HostileFile = [what: string, fileName: string, outcome: Outcome | Outcome[], make: () => Buffer]
export const hostileFile = (...args: HostileFile) => args

import { Unavailable } from '../../shared/unavailable.ts'

/** The error's message and cause, on one line. */
export function sentenceOf(error: unknown): string {
  const { message, cause } = error instanceof Error ? error : new Error(String(error))
  const reason = error instanceof Unavailable && `: ${cause instanceof Error ? cause.message : String(cause)}`
  return onOneLine(`${message}${reason || ''}`)
}

/** Replaces control characters: a customer's title must not move the operator's cursor. */
export function onOneLine(text: string): string {
  return text.trim().replace(/\p{Cc}+/gu, ' ')
}

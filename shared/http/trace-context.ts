import { AsyncLocalStorage } from 'node:async_hooks'

/** The `traceparent` of the current request (W3C Trace Context), which its lines in the log and its calls of the provider repeat. */
export const traceContext = new AsyncLocalStorage<string | undefined>()

/** @returns undefined for any other text */
export function toTraceparent(text = ''): string | undefined {
  return /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/.test(text) ? text : undefined
}

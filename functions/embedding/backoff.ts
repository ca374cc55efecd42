/** SQS's longest delay. */
const maxDelaySeconds = 900
const initialDelaySeconds = 4

/**
 * Seconds until the next retry: exponential backoff with full jitter (AWS Architecture Blog), which best spreads documents that
 * failed together, added to the provider's `Retry-After`, and at most 15 minutes in all.
 * @param random in [0, 1)
 */
export function backoff(retries: number, retryAfterSeconds: number | undefined, random: number): number {
  const jitter = random * Math.min(maxDelaySeconds, initialDelaySeconds * 2 ** Math.min(retries, 20))
  return Math.min(maxDelaySeconds, (retryAfterSeconds ?? 0) + jitter)
}

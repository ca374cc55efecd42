/** The longest that a document is put off, in seconds: SQS's longest delay. */
export const maxPauseSeconds = 900
const initialPauseSeconds = 4

/**
 * Seconds until the next try: full jitter (random between zero and a bound that doubles, as the AWS Architecture Blog has
 * it), which spreads those refused together best. What the provider asks for is waited out first, as far as the longest
 * pause allows.
 * @param random in [0, 1)
 */
export function backoff(retries: number, retryAfterSeconds: number | undefined, random: number): number {
  const jitter = random * Math.min(maxPauseSeconds, initialPauseSeconds * 2 ** Math.min(retries, 20))
  return Math.min(maxPauseSeconds, (retryAfterSeconds ?? 0) + jitter)
}

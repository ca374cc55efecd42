const maxDelaySeconds = 900
const initialDelaySeconds = 4

/** The seconds before a retry: exponential backoff with full jitter (AWS Architecture Blog), added to `Retry-After`. @param random in [0, 1) */
export function backoff(retries: number, retryAfterSeconds: number | undefined, random: number): number {
  const jitter = random * Math.min(maxDelaySeconds, initialDelaySeconds * 2 ** Math.min(retries, 20))
  return Math.min(maxDelaySeconds, (retryAfterSeconds ?? 0) + jitter)
}

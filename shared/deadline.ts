import { Unavailable } from './unavailable.ts'

/**
 * A call to an AWS service. The SDK checks its signal only while a request is in flight, not between retries or while it loads
 * credentials; this ends then too.
 * @throws Unavailable that names the service, when the call fails or takes longer
 */
export async function inTime<Result>(
  service: string,
  milliseconds: number,
  call: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const signal = AbortSignal.timeout(milliseconds)
  const expired = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  try {
    return await Promise.race([call(signal), expired])
  } catch (error) {
    throw new Unavailable(service, error)
  }
}

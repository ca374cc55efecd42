import { Unavailable } from '../unavailable.ts'

/** Bounds a call to AWS, also between retries and while the SDK loads credentials, where it ignores its signal. @throws Unavailable */
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

import { setTimeout as sleep } from 'node:timers/promises'

/** Codes of transactions that gave way to another. */
export const lockNotAvailable = '55P03'
export const deadlock = '40P01'
export const serializationFailure = '40001'

/**
 * Runs a transaction again if it gave way to another.
 * @param attempts the total number, with pauses of 1, 2, 4, 8 and then 15 seconds between them
 */
export async function retrying<Result>(
  attempts: number,
  run: () => Promise<Result>,
  pause: (milliseconds: number) => Promise<unknown> = sleep,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run()
    } catch (error) {
      if (attempt === attempts || !gaveWay(error)) throw error
      await pause(Math.min(2 ** (attempt - 1), 15) * 1000)
    }
  }
}

function gaveWay(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return code === lockNotAvailable || code === deadlock || code === serializationFailure
}

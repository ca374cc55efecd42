import fc from 'fast-check'
import { isThorough } from '../../support/tools/effort.ts'

const { FUZZ_SEED, FUZZ_PATH, FUZZ_CASES } = process.env

/** Cases for each operation. */
export const cases = Number(FUZZ_CASES ?? (isThorough ? 200 : 6))

/**
 * Plays the given number of random cases, the same in each `npm test`, and shrinks one that fails.
 * @throws Error that says how to play the shrunk case alone
 */
export async function playAll<T>(
  name: string,
  cases: number,
  arbitrary: fc.Arbitrary<T>,
  play: (value: T) => Promise<void>,
): Promise<void> {
  const seed = FUZZ_SEED ? Number(FUZZ_SEED) : isThorough ? Math.floor(Math.random() * 2 ** 31) : 1
  const property = fc.asyncProperty(arbitrary, play)
  const result = await fc.check(property, { numRuns: cases, seed, ...(FUZZ_PATH && { path: FUZZ_PATH }) })
  if (!result.failed) return
  const { counterexamplePath, errorInstance, counterexample } = result
  const shown = fc.stringify(counterexample).slice(0, 2_000)
  const replay = `FUZZ_SEED=${result.seed} FUZZ_PATH=${counterexamplePath} npm test -- test/attack/fuzz -t '${name}'`
  throw new Error(`${(errorInstance as Error)?.message}\nreplay with ${replay}\n${shown}`, { cause: errorInstance })
}

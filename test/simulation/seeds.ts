import { afterAll, beforeAll } from 'vitest'
import { useStand } from '../support/stand/stand.ts'
import { isThorough } from '../support/tools/effort.ts'
import { openUniverse, type Universe } from './world.ts'

/**
 * Random histories, each from a seed: `<name>_SEED` plays one again, and `<name>_HISTORIES` sets their number.
 * @param usual the first seed and the number in each run of `test:ci`, and the number of a thorough run, whose seeds are random
 */
export function useHistories(name: string, usual: { first: number; count: number; thorough: number }) {
  const { [`${name}_SEED`]: seed, [`${name}_HISTORIES`]: histories } = process.env
  const count = seed ? 1 : Number(histories ?? (isThorough ? usual.thorough : usual.count))
  const first = Number(seed ?? (isThorough ? Math.floor(Math.random() * 2 ** 30) : usual.first))
  const stand = useStand()
  let universe: Universe
  beforeAll(() => {
    universe = openUniverse(stand.pool)
  })
  afterAll(() => universe.close())
  return {
    count,
    first,
    /** @throws Error that says how to play the history again */
    async playAll(play: (universe: Universe, seed: number) => Promise<void>): Promise<void> {
      for (let seed = first; seed < first + count; seed++)
        await play(universe, seed).catch((error: Error) => {
          throw new Error(`${error.message}\nreplay with ${name}_SEED=${seed}`, { cause: error })
        })
    },
  }
}

import { afterAll, beforeAll, expect, test } from 'vitest'
import { isThorough } from '../support/effort.ts'
import { playHistory, type Tally } from './history.ts'
import { openUniverse, type Universe } from './world.ts'

const { SIMULATION_SEED, SIMULATION_HISTORIES } = process.env
const count = Number(SIMULATION_HISTORIES ?? (isThorough ? 500 : 2))

/**
 * Plays the histories of one test file; two files share the work. The seeds are the same in each
 * `npm test`; SIMULATION_SEED replays one.
 */
export function testHistories(part: 1 | 2): void {
  let universe: Universe
  beforeAll(async () => {
    universe = await openUniverse()
  })
  afterAll(() => universe?.close())

  const base = isThorough ? Math.floor(Math.random() * 2 ** 30) : 0
  const first = base + part * 100_000
  const seeds = SIMULATION_SEED ? [Number(SIMULATION_SEED)] : Array.from({ length: count }, (_, i) => first + i)

  test(`${seeds.length} random histories break no promise`, { timeout: 3_600_000 }, async () => {
    const tally: Tally = new Map()
    for (const seed of seeds) await playHistory(universe, seed, tally)
    const faults = [...tally].sort().map(([fault, histories]) => `${fault.padEnd(44)}${histories}`)
    console.info(`histories from seed ${seeds[0]}, by fault:\n${faults.join('\n')}`)
    expect(tally.size).toBeGreaterThan(0)
  })
}

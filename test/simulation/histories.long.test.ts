import { afterAll, beforeAll, expect, test } from 'vitest'
import { useStand } from '../support/stand/stand.ts'
import { isThorough } from '../support/tools/effort.ts'
import { playHistory, type Tally } from './history.ts'
import { openUniverse, type Universe } from './world.ts'

const { SIMULATION_SEED, SIMULATION_HISTORIES } = process.env
const count = SIMULATION_SEED ? 1 : Number(SIMULATION_HISTORIES ?? (isThorough ? 1000 : 1))
/** The same in each `npm test`: a short history with many kinds of faults. SIMULATION_SEED replays another. */
const first = Number(SIMULATION_SEED ?? (isThorough ? Math.floor(Math.random() * 2 ** 30) : 100_007))

const stand = useStand()
let universe: Universe
beforeAll(() => {
  universe = openUniverse(stand.pool)
})
afterAll(() => universe.close())

test(`random histories (${count}) break no promise`, { timeout: 3_600_000 }, async () => {
  const tally: Tally = new Map()
  for (let seed = first; seed < first + count; seed++) await playHistory(universe, seed, tally)
  const faults = [...tally].sort().map(([fault, histories]) => `${fault.padEnd(44)}${histories}`)
  console.info(`histories from seed ${first}, by fault:\n${faults.join('\n')}`)
  expect(tally.size).toBeGreaterThan(0)
})

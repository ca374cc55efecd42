import { expect, test } from 'vitest'
import { playHistory, type Tally } from './history.ts'
import { useHistories } from './seeds.ts'

// The usual one is short, with many kinds of faults.
const { first, count, playAll } = useHistories('SIMULATION', { first: 100_007, count: 1, thorough: 1000 })

test(`random histories (${count}) break no promise`, { timeout: 3_600_000 }, async () => {
  const tally: Tally = new Map()
  await playAll((universe, seed) => playHistory(universe, seed, tally))
  const faults = [...tally].sort().map(([fault, histories]) => `${fault.padEnd(44)}${histories}`)
  console.info(`histories from seed ${first}, by fault:\n${faults.join('\n')}`)
  expect(tally.size).toBeGreaterThan(0)
})

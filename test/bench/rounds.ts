/** Every part is played once, on little, so that none breaks unseen: the figures say nothing. */
export const isShort = process.argv.includes('--short')

export interface Rounds {
  rounds: number
  /** Rounds beyond the first three are left out once this much time has passed. */
  seconds: number
  /** Rounds before the first that counts: fewer if they take half of the time. */
  warmUps: number
}

/**
 * Runs every contestant once per round, each round beginning with the next one, so that whatever disturbs the machine disturbs
 * all of them. @returns what the runs gave, by contestant
 */
export async function interleaved<Result>(
  contestants: Record<string, (round: number) => Promise<Result>>,
  { rounds, seconds, warmUps }: Rounds,
): Promise<Record<string, Result[]>> {
  const names = Object.keys(contestants)
  const results: Record<string, Result[]> = Object.fromEntries(names.map((name) => [name, []]))
  const start = performance.now()
  const isPast = (share: number) => performance.now() - start > 1000 * seconds * share
  for (let round = isShort ? 0 : -warmUps; round < (isShort ? 1 : rounds); round++) {
    if (round < 0 && isPast(0.5)) round = 0
    if (round >= 3 && isPast(1)) break
    for (let turn = 0; turn < names.length; turn++) {
      const name = names[(turn + round + warmUps) % names.length]!
      const result = await contestants[name]!(round)
      if (round >= 0) results[name]!.push(result)
    }
  }
  return results
}

export async function millisecondsOf(work: () => unknown): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

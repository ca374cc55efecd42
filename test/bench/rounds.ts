export interface Rounds {
  rounds: number
  /** Rounds beyond the first three are left out once this much time has passed, beyond the first at twice as much. */
  seconds?: number
  /** Rounds before the first that counts. */
  warmUps?: number
}

/**
 * Runs every contestant once per round, each round beginning with the next one, so that whatever disturbs the machine disturbs
 * all of them. @returns what the runs gave, by contestant
 */
export async function interleaved<Result>(
  contestants: Record<string, (round: number) => Promise<Result>>,
  { rounds, seconds = Number.POSITIVE_INFINITY, warmUps = 1 }: Rounds,
): Promise<Record<string, Result[]>> {
  const names = Object.keys(contestants)
  const results: Record<string, Result[]> = Object.fromEntries(names.map((name) => [name, []]))
  const start = performance.now()
  for (let round = -warmUps; round < rounds; round++) {
    const passed = (performance.now() - start) / 1000
    if (passed > seconds && (round >= 3 || (round >= 1 && passed > 2 * seconds))) break
    for (let turn = 0; turn < names.length; turn++) {
      const name = names[(turn + round + warmUps) % names.length]!
      const result = await contestants[name]!(round)
      if (round >= 0) results[name]!.push(result)
    }
  }
  return results
}

export interface Cost<Result> {
  result: Result
  milliseconds: number
  /** The CPU time of this process only: the database and its endpoint have their own. */
  cpuMilliseconds: number
}

export async function costOf<Result>(work: () => Promise<Result>): Promise<Cost<Result>> {
  const cpu = process.cpuUsage()
  const start = performance.now()
  const result = await work()
  const milliseconds = performance.now() - start
  const { user, system } = process.cpuUsage(cpu)
  return { result, milliseconds, cpuMilliseconds: (user + system) / 1000 }
}

/** One number of each run, by contestant. */
export function pick<Result>(
  results: Record<string, Result[]>,
  number: (result: Result) => number,
): Record<string, number[]> {
  return Object.fromEntries(Object.entries(results).map(([name, each]) => [name, each.map(number)]))
}

import { afterAll } from 'vitest'
import { countStatements } from './statement-count.ts'

/** @returns how many requests the database gets while `act` runs, counted as `countStatements` does */
export function useRequestCount(options = {}): (act: () => Promise<unknown>) => Promise<number> {
  const statementsOf = useStatementCount(options)
  return async (act) => (await statementsOf(act)).length
}

/** `countStatements` until the end of the file. */
export function useStatementCount(options = {}): (act: () => Promise<unknown>) => Promise<number[]> {
  const { statementsOf, stop } = countStatements(options)
  afterAll(stop)
  return statementsOf
}

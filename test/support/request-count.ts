import { neonConfig } from '@neondatabase/serverless'
import { afterAll } from 'vitest'

/**
 * Counts the requests that the database gets; reports of what an organization has asked for, which run beside, only with `reports`.
 * @returns how many it gets while `act` runs
 */
export function useRequestCount(options = {}): (act: () => Promise<unknown>) => Promise<number> {
  const statementsOf = useStatementCount(options)
  return async (act) => (await statementsOf(act)).length
}

/** Counts what `useRequestCount` counts. @returns how many statements each request has */
export function useStatementCount({ reports = false } = {}): (act: () => Promise<unknown>) => Promise<number[]> {
  let requests: number[] = []
  neonConfig.fetchFunction = (url: string, init: RequestInit) => {
    const body = String(init.body)
    if (reports || !body.includes('count_requests')) requests.push(JSON.parse(body).queries?.length ?? 1)
    return fetch(url, init)
  }
  afterAll(() => {
    neonConfig.fetchFunction = undefined
  })
  return async (act) => {
    requests = []
    await act()
    return requests
  }
}

/** How often Neon's proxy waits for the database: a statement takes two round trips, and a batch of n takes two more, for its begin and its commit. */
export function roundTripsOf(requests: number[]): number {
  return requests.reduce((sum, statements) => sum + 2 * statements + (statements > 1 ? 2 : 0), 0)
}

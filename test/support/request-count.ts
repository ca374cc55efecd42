import { neonConfig } from '@neondatabase/serverless'
import { afterAll } from 'vitest'

/**
 * Counts the requests that the database gets; reports of what an organization has asked for, which run beside, only with `reports`.
 * @returns how many it gets while `act` runs
 */
export function useRequestCount({ reports = false } = {}): (act: () => Promise<unknown>) => Promise<number> {
  let requests = 0
  neonConfig.fetchFunction = (url: string, init: RequestInit) => {
    if (reports || !String(init.body).includes('count_requests')) requests++
    return fetch(url, init)
  }
  afterAll(() => {
    neonConfig.fetchFunction = undefined
  })
  return async (act) => {
    const before = requests
    await act()
    return requests - before
  }
}

import { neonConfig } from '@neondatabase/serverless'
import { afterAll } from 'vitest'

/** Counts the requests that the database gets. @returns how many it gets while `act` runs */
export function useRequestCount(): (act: () => Promise<unknown>) => Promise<number> {
  let requests = 0
  neonConfig.fetchFunction = (url: string, init: RequestInit) => {
    requests++
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

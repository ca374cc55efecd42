import { neonConfig } from '@neondatabase/serverless'

/**
 * Counts the requests that the database gets until `stop`; reports of what an organization has asked for, which run beside, only with
 * `reports`. `statementsOf` returns how many statements each request has that it gets while `act` runs.
 */
export function countStatements({ reports = false } = {}) {
  let requests: number[] = []
  const { fetchFunction = fetch } = neonConfig
  neonConfig.fetchFunction = (url: string, init: RequestInit) => {
    const body = String(init.body)
    if (reports || !body.includes('count_requests')) requests.push(JSON.parse(body).queries?.length ?? 1)
    return fetchFunction(url, init)
  }
  return {
    async statementsOf(act: () => Promise<unknown>): Promise<number[]> {
      requests = []
      await act()
      return requests
    },
    stop() {
      neonConfig.fetchFunction = fetchFunction
    },
  }
}

/** The round trips of Neon's proxy to the database: two for a statement, and two more for a batch's begin and commit. */
export function roundTripsOf(requests: number[]): number {
  return requests.reduce((sum, statements) => sum + 2 * statements + (statements > 1 ? 2 : 0), 0)
}

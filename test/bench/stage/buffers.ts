import { neonConfig } from '@neondatabase/serverless'

interface Caught {
  url: string
  init: RequestInit
  queries: { query: string; params: unknown[] }[]
}

/** Buffers that the statements of `act` touch, found or read: they are caught at the driver and run again under EXPLAIN. */
export async function buffersOf(act: () => Promise<unknown>): Promise<number> {
  const caught: Caught[] = []
  neonConfig.fetchFunction = (url: string, init: RequestInit) => {
    caught.push({ url, init, queries: JSON.parse(String(init.body)).queries })
    return fetch(url, init)
  }
  try {
    await act()
  } finally {
    neonConfig.fetchFunction = undefined
  }
  const counts = await Promise.all(caught.map(explained))
  return counts.reduce((sum, count) => sum + count, 0)
}

/** Runs the statement under the batch's role, after its settings. */
async function explained({ url, init, queries }: Caught): Promise<number> {
  const isSetting = (query: string) => /^\s*(select set_config\(|set local )/.test(query)
  const body = queries.map(({ query, params }) => ({
    query: isSetting(query) ? query : `explain (analyze, buffers, format json) ${query}`,
    params,
  }))
  const response = await fetch(url, { ...init, signal: null, body: JSON.stringify({ queries: body }) })
  if (!response.ok) throw new Error(await response.text())
  const { results } = (await response.json()) as { results: { rows: string[][] }[] }
  let buffers = 0
  for (const [i, { rows }] of results.entries()) {
    if (isSetting(queries[i]!.query)) continue
    const plan = JSON.parse(rows[0]![0]!)[0].Plan
    buffers += plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
  }
  return buffers
}

import { neonConfig } from '@neondatabase/serverless'
import { afterAll } from 'vitest'

export interface Batch {
  url: string
  init: RequestInit
  queries: { query: string; params: unknown[] }[]
}

export interface Node {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Index Cond'?: string
  'Recheck Cond'?: string
  Filter?: string
  'Shared Hit Blocks': number
  'Shared Read Blocks': number
  'Actual Loops': number
  'Actual Rows': number
  'Heap Fetches'?: number
  Plans?: Node[]
}

/** Observes all that a test file's process sends to the database. */
export function useStatementPlans() {
  let sent: Batch[] | undefined
  neonConfig.fetchFunction = (url: string, init: RequestInit) => {
    const body = JSON.parse(String(init.body))
    sent?.push({ url, init, queries: body.queries ?? [body] })
    return fetch(url, init)
  }
  afterAll(() => {
    neonConfig.fetchFunction = undefined
  })

  return {
    /** The batches that reach the database while `act` runs. */
    async batchesOf(act: () => Promise<unknown>): Promise<Batch[]> {
      const batches: Batch[] = []
      sent = batches
      await act().finally(() => {
        sent = undefined
      })
      return batches
    },
  }
}

/**
 * The plans of a batch's statements, made as the batch was run: under its role, after the settings that it makes. Nothing but
 * these is executed, unless `how` says `analyze`.
 */
export async function plansOf({ url, init, queries }: Batch, how = ''): Promise<Node[]> {
  const isSetting = (query: string) => /^\s*(select set_config\(|set local )/.test(query)
  const explain = (query: string) => (isSetting(query) ? query : `explain (${how} format json) ${query}`)
  const explained = queries.map(({ query, params }) => ({ query: explain(query), params }))
  const ask = () => fetch(url, { ...init, signal: null, body: JSON.stringify({ queries: explained }) })
  // The endpoint has closed a connection that was idle while a test computed.
  const response = await ask().catch(ask)
  const { results } = (await response.json()) as { results: { rows: string[][] }[] }
  return results.filter((_, i) => !isSetting(queries[i]!.query)).map(({ rows }) => JSON.parse(rows[0]![0]!)[0].Plan)
}

/** Leaves out nodes that were not executed. */
export function nodesOf(plan: Node): Node[] {
  return plan['Actual Loops'] === 0 ? [] : [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]
}

export const buffersOf = (plan: Node) => plan['Shared Hit Blocks'] + plan['Shared Read Blocks']

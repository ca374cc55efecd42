import { neonConfig } from '@neondatabase/serverless'
import { escapeIdentifier, type Pool } from 'pg'
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

const isSearch = (query: string) => query.includes(' from read_agent(')

/**
 * The plans of a batch's statements, made as the batch was run: under its role, after the settings that it makes. Nothing but
 * these is executed, unless `how` says `analyze`. A search is executed: the plans are those of the statements in its functions.
 */
export async function plansOf(pool: Pool, batch: Batch, how = ''): Promise<Node[]> {
  const { url, init, queries } = batch
  if (isSearch(queries[0]!.query)) return await plansInside(pool, batch)
  const isSetting = (query: string) => /^\s*(select set_config\(|set local )/.test(query)
  const explain = (query: string) => (isSetting(query) ? query : `explain (${how} format json) ${query}`)
  const explained = queries.map(({ query, params }) => ({ query: explain(query), params }))
  const ask = () => fetch(url, { ...init, signal: null, body: JSON.stringify({ queries: explained }) })
  // The endpoint has closed a connection that was idle while a test computed.
  const response = await ask().catch(ask)
  const { results } = (await response.json()) as { results: { rows: string[][] }[] }
  return results.filter((_, i) => !isSetting(queries[i]!.query)).map(({ rows }) => JSON.parse(rows[0]![0]!)[0].Plan)
}

async function plansInside(pool: Pool, { init, queries }: Batch): Promise<Node[]> {
  const login = new URL(new Headers(init.headers).get('neon-connection-string')!).username
  const plans: Node[] = []
  const client = await pool.connect()
  const onNotice = ({ message = '' }) => {
    if (message.includes('plan:')) plans.push(JSON.parse(message.slice(message.indexOf('{'))).Plan)
  }
  client.on('notice', onNotice)
  try {
    // Plans are kept in the session: these are to be of today's statistics.
    await client.query(`load 'auto_explain'; discard plans; begin; set local auto_explain.log_min_duration = 0;
      set local auto_explain.log_nested_statements = on; set local auto_explain.log_format = json;
      set local auto_explain.log_analyze = on; set local auto_explain.log_buffers = on;
      set local client_min_messages = log; set local role ${escapeIdentifier(login)}`)
    await client.query(queries[0]!.query, queries[0]!.params)
  } finally {
    await client.query('rollback')
    client.off('notice', onNotice)
    client.release()
  }
  return plans
}

/** Leaves out nodes that were not executed. */
export function nodesOf(plan: Node): Node[] {
  return plan['Actual Loops'] === 0 ? [] : [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]
}

export const buffersOf = (plan: Node) => plan['Shared Hit Blocks'] + plan['Shared Read Blocks']

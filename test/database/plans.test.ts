import { neonConfig } from '@neondatabase/serverless'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { axis } from '../support/axis.ts'
import { type Tenant, useStand } from '../support/stand.ts'

const stand = useStand()

interface Batch {
  url: string
  init: RequestInit
  queries: { query: string; params: unknown[] }[]
}
let sent: Batch[] | undefined

// So that statistics are what each test makes them.
beforeAll(() => sql`alter table chunks set (autovacuum_enabled = false)`.execute(stand.db))
neonConfig.fetchFunction = (url: string, init: RequestInit) => {
  sent?.push({ url, init, queries: JSON.parse(String(init.body)).queries })
  return fetch(url, init)
}
afterAll(() => {
  neonConfig.fetchFunction = undefined
})

/** The batches that reach the database while `act` runs. */
async function batchesOf(act: () => Promise<unknown>): Promise<Batch[]> {
  const batches: Batch[] = []
  sent = batches
  await act().finally(() => {
    sent = undefined
  })
  return batches
}

interface Node {
  'Node Type': string
  'Relation Name'?: string
  'Index Cond'?: string
  'Recheck Cond'?: string
  'Shared Hit Blocks': number
  'Shared Read Blocks': number
  Plans?: Node[]
}

/**
 * The plans of a batch's statements, made as the batch was run: under its role, after the settings that it makes. Nothing but
 * these is executed, unless `how` says `analyze`.
 */
async function plansOf({ url, init, queries }: Batch, how = ''): Promise<Node[]> {
  const isSetting = (query: string) => /^\s*(select set_config\(|set local )/.test(query)
  const explained = queries.map(({ query, params }) => ({
    query: isSetting(query) ? query : `explain (${how} format json) ${query}`,
    params,
  }))
  const response = await fetch(url, { ...init, signal: null, body: JSON.stringify({ queries: explained }) })
  const { results } = (await response.json()) as { results: { rows: string[][] }[] }
  return results.filter((_, i) => !isSetting(queries[i]!.query)).map(({ rows }) => JSON.parse(rows[0]![0]!)[0].Plan)
}

function nodesOf(plan: Node): Node[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]
}

const buffersOf = (plan: Node) => plan['Shared Hit Blocks'] + plan['Shared Read Blocks']

/** A document of the tenant that search serves, with so many chunks. */
async function makeDocument(tenant: Tenant, chunks: number): Promise<string> {
  const { body } = await tenant.call('POST', tenant.knowledgeBase, { title: 'T' })
  await sql`
    insert into chunks (organization_id, id, agent_id, document_id, revision, chunk_index, content, token_count, embedding)
    select ${tenant.organizationId}, gen_random_uuid(), ${tenant.agentId}, ${body.id}, 1, i, repeat(md5(i::text), 40), 300,
      (select array_agg(2 + sin(n))::vector(1536) from generate_series(1, 1536) n)
    from generate_series(1, ${chunks}::int) i`.execute(stand.db)
  await sql`update documents set status = 'completed', active_revision = 1, chunk_count = ${chunks} where id = ${body.id}`.execute(
    stand.db,
  )
  return body.id
}

async function searchBatch(tenant: Tenant, more: object = {}): Promise<Batch> {
  const search = () => tenant.call('POST', `${tenant.knowledgeBase}/search`, { embedding: axis(1), ...more })
  return (await batchesOf(search)).find(({ queries }) => queries.some(({ query }) => query.includes('<=>')))!
}

describe('a search', () => {
  test.each([{}, { min_score: 0.001 }])('reads each vector of the agent once (%j)', async (more) => {
    const tenant = await stand.tenant()
    const document = await makeDocument(tenant, 300)
    const plans = await plansOf(await searchBatch(tenant, more), 'analyze, buffers,')
    const { rows } = await sql<Record<'QUERY PLAN', { Plan: Node }[]>>`
      explain (analyze, buffers, format json) select sum(vector_dims(embedding)) from chunks where document_id = ${document}`.execute(
      stand.db,
    )
    const once = buffersOf(rows[0]!['QUERY PLAN'][0]!.Plan)
    expect(once).toBeGreaterThan(300)
    expect(Math.max(...plans.map(buffersOf))).toBeLessThan(1.3 * once)
  })
})

/** What the planner goes by when one large document has just come in. */
const statistics: [string, (tenant: Tenant) => Promise<void>][] = [
  ['not there yet', async () => {}],
  [
    'those of ten small documents',
    async (tenant) => {
      for (let i = 0; i < 10; i++) await makeDocument(tenant, 3)
      await sql`analyze`.execute(stand.db)
    },
  ],
  [
    'those of one other document',
    async (tenant) => {
      await makeDocument(tenant, 30)
      await sql`analyze`.execute(stand.db)
    },
  ],
]

describe.each(statistics)('by statistics that are %s', (_, prepare) => {
  test('every statement for an organization finds its chunks by document', async () => {
    // What the planner believes of a document depends on all the others.
    await sql`truncate organizations cascade`.execute(stand.db)
    await sql`delete from pg_statistic where starelid = 'chunks'::regclass`.execute(stand.db)
    const tenant = await stand.tenant()
    const other = await stand.tenant()
    await prepare(other)
    const large = await makeDocument(tenant, 1500)
    const path = `${tenant.knowledgeBase}/${large}`
    const { body } = await tenant.call('POST', tenant.knowledgeBase, { title: 'T', content: 'One. Two.' })
    const chunks = [{ content: 'c', chunk_index: 0, embedding: axis(1) }]
    const batches = await batchesOf(async () => {
      await tenant.call('POST', `${tenant.knowledgeBase}/search`, { query: 'a question' })
      await tenant.call('POST', `${tenant.knowledgeBase}/search`, { query: 'q', document_ids: [large], limit: 50 })
      await tenant.call('POST', `${tenant.knowledgeBase}/search`, { query: 'q', min_score: 0.5, metadata: { a: 1 } })
      await tenant.call('GET', `${path}/chunks`)
      await stand.deliver()
      await tenant.call('GET', `${tenant.knowledgeBase}/${body.id}/chunks`)
      await tenant.call('POST', `${path}/chunks`, { chunks }, { 'idempotency-key': 'k' })
      await tenant.call('PATCH', path, { status: 'completed' })
      await tenant.call('DELETE', `${path}/chunks`)
      await tenant.call('DELETE', path)
    })
    const nodes = (await Promise.all(batches.map((batch) => plansOf(batch)))).flat().flatMap(nodesOf)
    const reading = nodes.filter((node) => node['Relation Name'] === 'chunks' && node['Node Type'] !== 'ModifyTable')
    expect(reading.length).toBeGreaterThan(10)
    const found = reading.map((node) => node['Index Cond'] ?? node['Recheck Cond'] ?? node['Node Type'])
    expect(found.filter((by) => !by.includes('document_id'))).toEqual([])
  })
})

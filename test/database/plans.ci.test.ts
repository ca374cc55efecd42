import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { createAgent } from '../../infra/admin/agents.ts'
import { newId } from '../../shared/ids.ts'
import {
  type Batch,
  buffersOf,
  type Node,
  nodesOf,
  plansOf,
  useStatementPlans,
} from '../support/database/statement-plans.ts'
import { storeServed } from '../support/documents/served-document.ts'
import { axis } from '../support/provider/axis.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'

const stand = useStand()
const { batchesOf } = useStatementPlans()

const forget = () =>
  sql`delete from pg_statistic where starelid in ('chunks'::regclass, 'packs'::regclass)`.execute(stand.db)

// Lets only the tests gather statistics.
beforeAll(async () => {
  const setVacuum = async (change: 'set (autovacuum_enabled = false)' | 'reset (autovacuum_enabled)') => {
    for (const table of ['chunks', 'packs'])
      await sql`alter table ${sql.table(table)} ${sql.raw(change)}`.execute(stand.db)
  }
  await setVacuum('set (autovacuum_enabled = false)')
  return async () => {
    await forget()
    await setVacuum('reset (autovacuum_enabled)')
  }
})

/** Makes a document that search serves, with the given number of chunks. */
const makeDocument = (tenant: Tenant, chunks: number) =>
  storeServed(stand.db, tenant, Array(chunks).fill({ vector: axis(2) }))

/** The planner's statistics just after one large document came in. */
const statistics: [string, (tenant: Tenant) => Promise<void>][] = [
  ['missing', async () => {}],
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

describe.each(statistics)('with planner statistics that are %s,', (_, prepare) => {
  test('every statement of an organization finds chunks and vectors by document, and packs by agent', async () => {
    // The planner's estimates for a document depend on all the others.
    await sql`truncate organizations cascade`.execute(stand.db)
    await forget()
    const tenant = await stand.tenant()
    const other = await stand.tenant()
    await prepare(other)
    const large = await makeDocument(tenant, 1500)
    const path = `${tenant.knowledgeBase}/${large}`
    const { body } = await tenant.call('POST', tenant.knowledgeBase, { title: 'T', content: 'One. Two.' })
    const chunks = [{ content: 'c', chunk_index: 0, embedding: axis(1) }]
    const searches = await batchesOf(async () => {
      await tenant.call('POST', `${tenant.knowledgeBase}/search`, { query: 'a bicycle' })
      await tenant.call('POST', `${tenant.knowledgeBase}/search`, { query: 'q', document_ids: [large], limit: 50 })
      await tenant.call('POST', `${tenant.knowledgeBase}/search`, { query: 'q', min_score: 0.5, metadata: { a: 1 } })
      const keyword = { query: 'a bicycle', mode: 'keyword' }
      await tenant.call('POST', `${tenant.knowledgeBase}/search`, keyword)
      await tenant.call('POST', `${tenant.knowledgeBase}/search`, { ...keyword, document_ids: [large] })
      await tenant.call('POST', `${tenant.knowledgeBase}/search`, { ...keyword, metadata: { a: 1 } })
    })
    const plansOfAll = async (batches: Batch[]) =>
      (await Promise.all(batches.map((batch) => plansOf(stand.pool, batch)))).map((each) => each.flatMap(nodesOf))
    const plans = await plansOfAll(searches)
    const batches = await batchesOf(async () => {
      await tenant.call('GET', `${path}/chunks`)
      await stand.deliver()
      await tenant.call('GET', `${tenant.knowledgeBase}/${body.id}/chunks`)
      await tenant.call('POST', `${path}/chunks`, { chunks }, { 'idempotency-key': 'k' })
      await tenant.call('PATCH', path, { status: 'completed' })
      await tenant.call('DELETE', `${path}/chunks`)
      await tenant.call('DELETE', path)
    })
    plans.push(...(await plansOfAll(batches)))
    const reading = (table: string) =>
      plans.map((nodes) =>
        nodes.filter((node) => node['Relation Name'] === table && node['Node Type'] !== 'ModifyTable'),
      )
    expect(reading('chunks').flat().length).toBeGreaterThan(10)
    expect(reading('vectors').flat().length).toBeGreaterThan(3)
    expect(reading('chunks').flatMap((nodes) => nodes.filter((node) => !isByDocument(node)))).toEqual([])
    expect(reading('vectors').flatMap((nodes) => nodes.filter((node) => !isByDocument(node)))).toEqual([])
    const packs = reading('packs').flat()
    expect(packs.length).toBeGreaterThan(0)
    expect(packs.filter((node) => !node['Index Cond']?.includes('agent_id'))).toEqual([])
  })
})

test('a chunk’s vector is looked up by its id, even when the planner has no statistics of vectors', async () => {
  const tenant = await stand.tenant()
  const large = await storeServed(
    stand.db,
    tenant,
    Array.from({ length: 400 }, (_, i) => ({ vector: axis(i) })),
  )
  await sql`delete from pg_statistic where starelid = 'vectors'::regclass`.execute(stand.db)
  const chunks = Array.from({ length: 20 }, (_, i) => ({ content: 'c', chunk_index: 400 + i, embedding: axis(i) }))
  const batches = await batchesOf(() => tenant.call('POST', `${tenant.knowledgeBase}/${large}/chunks`, { chunks }))
  const plans = await Promise.all(batches.map((batch) => plansOf(stand.pool, batch)))
  const lookups = plans
    .flat()
    .flatMap(nodesOf)
    .map((node) => node['Index Cond'])
  expect(lookups).toContainEqual(expect.stringMatching(/document_id = .* AND \(id = w/))
})

test('a list of documents reads none of their chunks', async () => {
  const tenant = await stand.tenant()
  for (let i = 0; i < 20; i++) await makeDocument(tenant, 5)
  const readChunks = async () => {
    const [batch] = await batchesOf(() => tenant.call('GET', `${tenant.knowledgeBase}?limit=100`))
    const nodes = (await plansOf(stand.pool, batch!, 'analyze,')).flatMap(nodesOf)
    const scans = nodes.filter((node) => node['Relation Name'] === 'chunks')
    return scans.reduce((sum, node) => sum + node['Actual Loops'], 0)
  }
  await tenant.call('GET', tenant.knowledgeBase)
  expect(await readChunks()).toBe(0)
})

test('the 3,000 documents of an agent are counted from an index alone, and only those of agents that are shown', async () => {
  const tenant = await stand.tenant()
  await createAgent(stand.db, tenant.organizationId as never, 'Next')
  const { id: crowded } = await createAgent(stand.db, tenant.organizationId as never, 'Crowded')
  await sql`alter table documents disable trigger user`.execute(stand.db)
  for (const agentId of [crowded, tenant.agentId])
    await sql`insert into documents (organization_id, id, agent_id, title, status, managed_by, active_revision)
      select ${tenant.organizationId}, gen_random_uuid(), ${agentId}, repeat('t', 500),
        case when i % 4 = 0 then 'completed' else 'pending' end, 'client', case when i % 4 = 0 then 1 end
      from generate_series(1, 3000) i`.execute(stand.db)
  await sql`alter table documents enable trigger user`.execute(stand.db)
  // Another session's snapshot, such as autovacuum's, keeps pages from being visible to all.
  await expect
    .poll(async () => {
      await stand.pool.query('vacuum (analyze) documents')
      const seen = await stand.pool.query(`select from pg_class
        where oid = 'documents'::regclass and relallvisible > 0.9 * relpages`)
      return seen.rows.length
    })
    .toBe(1)
  const documents = { pending: 2250, processing: 0, completed: 750, error: 0 }
  for (const url of [`/v1/agents/${crowded}`, '/v1/agents?limit=1']) {
    // Makes the key known.
    expect((await tenant.call('GET', `/v1/agents/${newId()}`)).status).toBe(404)
    const [batch, ...others] = await batchesOf(async () => {
      const { body } = await tenant.call('GET', url)
      expect(body.data?.[0] ?? body).toMatchObject({ id: crowded, documents })
    })
    expect(others).toEqual([])
    const [plan] = await plansOf(stand.pool, batch!, 'analyze, buffers,')
    const read = nodesOf(plan!).filter((node) => node['Relation Name'] === 'documents')
    expect(read).toMatchObject([{ 'Node Type': 'Index Only Scan', 'Index Name': 'documents_kept_by_status' }])
    // A page with one agent reads the next one, to see if there is more.
    expect(read[0]!['Actual Loops']).toBe(url.includes('?') ? 2 : 1)
    expect(read[0]!['Heap Fetches']).toBeLessThan(100)
    expect(buffersOf(plan!)).toBeLessThan(url.includes('?') ? 60 : 30)
  }
})

const isByDocument = (node: Node) => `${node['Index Cond'] ?? node['Recheck Cond']}`.includes('document_id')

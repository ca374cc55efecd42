import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { sweep } from '../../functions/sweeper/sweep.ts'
import { toStored } from '../../shared/embedding/vectors.ts'
import { Random } from '../simulation/random.ts'
import { nodesOf, plansOf, useStatementPlans } from '../support/database/statement-plans.ts'
import { storeServed } from '../support/documents/served-document.ts'
import { axis } from '../support/provider/axis.ts'
import { scatteredVectors } from '../support/provider/scattered.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'
import { keptQueue, sweeperWith } from '../support/stand/worker.ts'
import { type Hit, key, search } from './searched.ts'

const stand = useStand()
const { batchesOf } = useStatementPlans()

const { scattered, around } = scatteredVectors(new Random(7))
const centers = Array.from({ length: 30 }, scattered)
const chunks = (count: number) => Array.from({ length: count }, (_, i) => ({ vector: around(centers[i % 30]!, 0.5) }))

async function cluster({ organizationId, agentId }: Tenant) {
  for (let count = 1; count > 0; ) {
    const step = sql<{ count: number }>`select cluster_chunks(${organizationId}, ${agentId}, 500) as count`
    count = (await step.execute(stand.db)).rows[0]!.count
  }
  const { rows } = await sql<{ chunks: number; share: number | null; sketches: number }>`
    select chunks, share, (select count(*)::int from clustered_sketches s where s.agent_id = a.agent_id and cluster > 0) as sketches
    from clustered_agents a where agent_id = ${agentId}`.execute(stand.db)
  return rows[0]!
}

/** The ten best of all that the agent serves. */
async function best({ agentId }: Tenant, vector: Float32Array): Promise<Omit<Hit, 'score'>[]> {
  const { rows } = await sql<Omit<Hit, 'score'>>`
    select c.document_id, c.chunk_index
    from chunks c join vectors v on v.organization_id = c.organization_id and v.document_id = c.document_id and v.id = c.vector_id
      join documents d on d.organization_id = c.organization_id and d.id = c.document_id
    where c.agent_id = ${agentId} and c.revision <= d.active_revision and coalesce(d.valid_from <= now(), true)
    order by v.embedding <=> ${toStored(vector).embedding}::halfvec(1536), c.document_id, c.chunk_index limit 10`.execute(
    stand.db,
  )
  return rows
}

describe('an agent of 1,500 chunks in 30 topics', () => {
  let tenant: Tenant
  const documents: string[] = []
  const expectBest = async () => {
    for (let i = 0; i < 8; i++) {
      const query = around(centers[3 * i]!, 0.5)
      expect((await search(tenant, query)).map(key)).toEqual((await best(tenant, query)).map(key))
    }
  }

  beforeAll(async () => {
    tenant = await stand.tenant()
    for (let i = 0; i < 5; i++) documents.push(await storeServed(stand.db, tenant, chunks(300)))
  })

  test('is searched in at most a quarter of its sketches, from an index only, and the ten best equal those of all', async () => {
    const { share, sketches } = await cluster(tenant)
    expect(sketches).toBe(1500)
    expect(share).toBeLessThanOrEqual(0.25)
    await stand.pool.query('vacuum analyze')
    await expectBest()
    const batches = await batchesOf(() => search(tenant, centers[3]!))
    const batch = batches.find(({ queries }) => queries.some(({ query }) => query.includes('from answers(')))!
    const plans = await plansOf(stand.pool, batch, 'analyze, buffers,')
    const scans = plans.flatMap(nodesOf).filter((node) => node['Relation Name'] === 'clustered_sketches')
    expect(new Set(scans.map((node) => `${node['Index Name']} ${node['Heap Fetches']}`))).toEqual(
      new Set(['clustered_sketches_pkey 0']),
    )
    const read = scans.reduce((sum, node) => sum + node['Actual Rows'] * node['Actual Loops'], 0)
    expect(read).toBeGreaterThan(640)
    expect(read).toBeLessThan(640 + 0.4 * 1500)
  })

  test('finds added chunks, but no deleted ones or ones valid from tomorrow, before the next sweep', async () => {
    await cluster(tenant)
    documents.push(await storeServed(stand.db, tenant, chunks(60)))
    await expectBest()
    const [deleted, later] = documents.splice(0, 2)
    await tenant.call('DELETE', `${tenant.knowledgeBase}/${deleted}`)
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString()
    await tenant.call('PATCH', `${tenant.knowledgeBase}/${later}`, { valid_from: tomorrow })
    await expectBest()
    expect((await cluster(tenant)).sketches).toBe(1260)
    await expectBest()
    const chosen = documents.slice(0, 1)
    const filtered = await search(tenant, centers[0]!, { document_ids: chosen })
    expect(new Set(filtered.map(({ document_id }) => document_id))).toEqual(new Set(chosen))
  })
})

test('an agent that has grown to more than twice its size gets new clusters', async () => {
  const tenant = await stand.tenant()
  await storeServed(stand.db, tenant, chunks(300))
  expect((await cluster(tenant)).chunks).toBe(300)
  await storeServed(stand.db, tenant, chunks(240))
  expect((await cluster(tenant)).chunks).toBe(300)
  await storeServed(stand.db, tenant, chunks(240))
  expect(await cluster(tenant)).toMatchObject({ chunks: 780, sketches: 780 })
})

test('an agent that changes its model is compared as a whole until it has new clusters', async () => {
  const tenant = await stand.tenant()
  const { organizationId, agentId } = tenant
  // Twenty a topic, so that the ten best of each are in it.
  await storeServed(stand.db, tenant, chunks(600))
  expect((await cluster(tenant)).share).not.toBeNull()
  await sql`update agents set model = 'old', next_model = 'new' where id = ${agentId}`.execute(stand.db)
  await sql`update chunks set other_vector_id = vector_id where agent_id = ${agentId}`.execute(stand.db)
  const switched = sql<{ done: boolean }>`
    with entered as materialized (select set_config('cuecard.organization_id', ${organizationId}, true))
    select switch_model(${organizationId}, ${agentId}) as done from entered`
  expect((await switched.execute(stand.db)).rows).toEqual([{ done: true }])
  const shares = sql`select share from clustered_agents where agent_id = ${agentId}`
  expect((await shares.execute(stand.db)).rows).toEqual([{ share: null }])
  expect((await search(tenant, centers[6]!)).map(key)).toEqual((await best(tenant, centers[6]!)).map(key))
  expect(await cluster(tenant)).toMatchObject({ chunks: 600, sketches: 600 })
})

test('an agent whose chunks have no topics is compared as a whole', async () => {
  const tenant = await stand.tenant()
  await storeServed(
    stand.db,
    tenant,
    Array.from({ length: 1000 }, () => ({ vector: scattered() })),
  )
  expect((await cluster(tenant)).share).toBeNull()
  const query = scattered()
  expect((await search(tenant, query)).map(key)).toEqual((await best(tenant, query)).map(key))
})

test('the sweeper makes clusters for an agent of 10,000 chunks', async () => {
  const [tenant, small] = [await stand.tenant(), await stand.tenant()]
  await storeServed(stand.db, small, Array(300).fill({ vector: axis(2) }))
  await storeServed(stand.db, tenant, Array(10_000).fill({ vector: axis(2) }))
  await sweep(sweeperWith(keptQueue().queue))
  const { rows } = await sql<{ agent_id: string; sketches: number }>`
    select agent_id, sum(sketches)::int as sketches from sketch_clusters
    where agent_id in (${tenant.agentId}, ${small.agentId}) group by agent_id`.execute(stand.db)
  expect(rows).toEqual([{ agent_id: tenant.agentId, sketches: 10_000 }])
})

import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { sketchOf } from '../../shared/embedding/sketch.ts'
import { normalize, toStored } from '../../shared/embedding/vectors.ts'
import { querySketch } from '../../shared/retrieval/query-vector/query-sketch.ts'
import { Random } from '../simulation/random.ts'
import { buffersOf, nodesOf, plansOf, useStatementPlans } from '../support/database/statement-plans.ts'
import { storeServed } from '../support/documents/served-document.ts'
import { axis } from '../support/provider/axis.ts'
import { scatteredVectors } from '../support/provider/scattered.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'
import { isOnServer, isThorough } from '../support/tools/effort.ts'
import { differing, type Hit, key, search } from './searched.ts'

const stand = useStand()
const { batchesOf } = useStatementPlans()

/** All chunks of the agent compared, best first; with the same halves and the same operator as the search. */
async function bruteForce(tenant: Tenant, vector: ArrayLike<number>, condition = 'true'): Promise<Hit[]> {
  const { rows } = await sql<Hit>`
    select c.document_id, c.chunk_index, 1 - (v.embedding <=> ${toStored(vector).embedding}::halfvec(1536)) as score
    from chunks c join vectors v on v.organization_id = c.organization_id and v.document_id = c.document_id and v.id = c.vector_id
    where c.agent_id = ${tenant.agentId} and ${sql.raw(condition)}
    order by score desc, c.document_id, c.chunk_index`.execute(stand.db)
  return rows
}

/** Ten documents have more chunks than are compared exactly. */
const perDocument = isThorough || isOnServer ? 300 : 120

const { scattered, around } = scatteredVectors(new Random(5))

/** The component of a vector at a right angle to the unit vector, normalized. */
function rejectionOf(vector: Float32Array, unit: Float32Array): Float32Array {
  const along = vector.reduce((sum, number, i) => sum + number * unit[i]!, 0)
  return normalize(vector.map((number, i) => number - along * unit[i]!))
}

describe(`of ${10 * perDocument} chunks in 30 clusters`, () => {
  let tenant: Tenant
  const documents: string[] = []
  const centers = Array.from({ length: 30 }, () => scattered())
  const queries = Array.from({ length: 8 }, (_, i) => around(centers[3 * i]!, 0.5))

  beforeAll(async () => {
    tenant = await stand.tenant()
    for (let i = 0; i < 10; i++) {
      const chunks = Array.from({ length: perDocument }, (_, at) => ({
        vector: around(centers[at % centers.length]!, 0.5),
        metadata: { remainder: at % 7 },
      }))
      documents.push(await storeServed(stand.db, tenant, chunks))
    }
    await stand.pool.query('vacuum analyze chunks')
  })

  test('the ten best equal those of a full comparison', async () => {
    for (const query of queries) {
      const hits = await search(tenant, query)
      const best = (await bruteForce(tenant, query)).slice(0, 10)
      expect(hits.map(key)).toEqual(best.map(key))
      expect(hits.map((hit) => hit.score)).toEqual(best.map((hit) => expect.closeTo(hit.score, 6)))
    }
  })

  test('filters apply, and the best equal those of a full comparison with matching chunks', async () => {
    const [query] = queries
    const { score: third } = (await bruteForce(tenant, query!))[2]!
    expect(await search(tenant, query!, { min_score: third - 1e-6 })).toHaveLength(3)
    const chosen = [documents[8]!, documents[2]!]
    const filters: [object, string][] = [
      [{ document_ids: chosen }, `c.document_id in ('${chosen.join("', '")}')`],
      [{ metadata: { remainder: 4 } }, `c.metadata @> '{"remainder": 4}'`],
      [
        { document_ids: chosen, metadata: { remainder: 2 } },
        `c.document_id in ('${chosen.join("', '")}') and c.metadata @> '{"remainder": 2}'`,
      ],
    ]
    for (const [filter, condition] of filters) {
      const hits = await search(tenant, query!, { ...filter })
      expect(hits.map(key)).toEqual((await bruteForce(tenant, query!, condition)).slice(0, 10).map(key))
    }
  })

  test('a search reads sketches from an index only, and few vectors', async () => {
    const batches = await batchesOf(() => search(tenant, queries[1]!))
    const batch = batches.find(({ queries }) => queries.some(({ query }) => query.includes('from answers(')))!
    const plans = await plansOf(stand.pool, batch, 'analyze, buffers,')
    const nodes = plans.flatMap(nodesOf)
    const byAgent = nodes.filter(
      (node) => node['Relation Name'] === 'chunks' && !node['Index Cond']?.includes('document_id'),
    )
    expect(new Set(byAgent.map((node) => `${node['Node Type']} ${node['Heap Fetches']}`))).toEqual(
      new Set(['Index Only Scan 0']),
    )
    const loops = (table: string) =>
      nodes
        .filter((node) => node['Relation Name'] === table && node['Index Cond']?.includes('document_id'))
        .reduce((sum, node) => sum + node['Actual Loops'], 0)
    expect(loops('vectors')).toBeLessThan(300)
    // Each hit, and its metadata.
    expect(loops('chunks')).toBeLessThan(25)
    // Counts scans only: the statement's total includes the catalog reads of planning its functions.
    const scans = nodes.filter((node) => node['Relation Name'] !== undefined)
    expect(scans.reduce((sum, node) => sum + buffersOf(node), 0)).toBeLessThan(1000)
  })
})

describe('of up to 200 chunks', () => {
  test('all are compared, with any vectors', async () => {
    const tenant = await stand.tenant()
    const isNear = (i: number) => i % 3 === 0
    const center = scattered()
    const chunks = Array.from({ length: 200 }, (_, i) => ({
      vector: isNear(i) ? around(center, 0.05) : scattered(),
    }))
    await storeServed(stand.db, tenant, chunks.slice(0, 140))
    await storeServed(stand.db, tenant, chunks.slice(140))
    for (const query of [scattered(), center, axis(7)]) {
      const hits = await search(tenant, query, { limit: 50 })
      expect(hits.map(key)).toEqual((await bruteForce(tenant, query)).slice(0, 50).map(key))
    }
  })

  test('the best are found even if their sketches rank them last', async () => {
    const tenant = await stand.tenant()
    const query = normalize(scattered())
    const { high, middle, low } = querySketch(query)
    const distanceOf = (vector: Float32Array) => {
      const sketch = sketchOf(vector)
      return 4 * differing(sketch, high) + 2 * differing(sketch, middle) + differing(sketch, low)
    }
    /** A vector with this cosine to the query, within the precision of halves. */
    const vectorAt = (cosine: number, aside: Float32Array) =>
      query.map((number, i) => cosine * number + Math.sqrt(1 - cosine * cosine) * aside[i]!)
    const chunks = Array.from({ length: 200 }, () => rejectionOf(scattered(), query))
      .map((aside) => ({ aside, distance: distanceOf(vectorAt(0.3, aside)) }))
      .toSorted((a, b) => b.distance - a.distance)
      .map(({ aside }, i) => ({ vector: vectorAt(0.3 - i * 2e-6, aside) }))
    await storeServed(stand.db, tenant, chunks)
    const hits = await search(tenant, query, { limit: 50 })
    expect(hits.map(key)).toEqual((await bruteForce(tenant, query)).slice(0, 50).map(key))
  })

  test('an agent may grow beyond that, and shrink again', async () => {
    const tenant = await stand.tenant()
    const [center, far] = [scattered(), scattered()]
    const chunks = (from: Float32Array, count: number) =>
      Array.from({ length: count }, () => ({ vector: around(from, 1) }))
    const expectBest = async () => {
      const hits = await search(tenant, center)
      expect(hits.map(key)).toEqual((await bruteForce(tenant, center)).slice(0, 10).map(key))
    }
    await storeServed(stand.db, tenant, chunks(far, 180))
    await expectBest()
    await storeServed(stand.db, tenant, chunks(center, 300))
    await expectBest()
    await sql`delete from documents where id = (select min(id::text)::uuid from documents where agent_id = ${tenant.agentId})`.execute(
      stand.db,
    )
    await expectBest()
  })

  test('ties are ordered by document and index', async () => {
    const tenant = await stand.tenant()
    // These vectors are at a right angle to the query, each in another direction.
    const apart = (first: number) => Array.from({ length: 30 }, (_, i) => ({ vector: axis(first + i) }))
    const documents = [await storeServed(stand.db, tenant, apart(10)), await storeServed(stand.db, tenant, apart(50))]
    await storeServed(stand.db, tenant, [{ vector: axis(3).map((number) => -number) }])
    const hits = await search(tenant, axis(3), { limit: 50 })
    const all = documents.toSorted().flatMap((id) => Array.from({ length: 30 }, (_, i) => `${id} ${i}`))
    expect(hits.map(key)).toEqual(all.slice(0, 50))
    expect(hits.map((hit) => hit.score)).toEqual(Array(50).fill(0))
  })
})

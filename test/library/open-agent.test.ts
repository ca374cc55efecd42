import { mkdtemp, readdir, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { type AgentOptions, openAgent } from '../../infra/library/open-agent.ts'
import { lexicalEmbedder } from '../../shared/embedding/lexical-embedder.ts'
import { newId } from '../../shared/ids.ts'
import { known, serveTexts, storeKnown, tenantWithDocuments } from '../support/documents/known-documents.ts'
import { useGateway } from '../support/stand/gateway.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'
import { startRelay } from './relay.ts'

const stand = useStand()
const gateway = useGateway(stand)

const parking = { query: 'Where do guests park?', limit: 3 }

/** The tenant's agent in this process, closed when the test ends. */
async function open({ apiKey, agentId }: Tenant, options: Partial<AgentOptions> = {}) {
  const agent = await openAgent({ url: gateway.origin, key: apiKey, agentId, ...options })
  onTestFinished(() => agent.close())
  return agent
}

const newFolder = () => mkdtemp(join(tmpdir(), 'cuecard-library-'))

/** The answer over HTTP, without what only the library says. */
async function overHttp({ call, knowledgeBase }: Tenant, body: object) {
  return (await call('POST', `${knowledgeBase}/search`, body)).body
}

describe('an agent in the process', () => {
  test('answers as the service does', async () => {
    const tenant = await tenantWithDocuments(stand)
    const agent = await open(tenant)
    for (const mode of ['hybrid', 'semantic', 'keyword'] as const) {
      const { from, stale, ...answer } = await agent.search({ ...parking, mode })
      expect({ from, stale }).toEqual({ from: 'process', stale: false })
      const expected = await overHttp(tenant, { ...parking, mode })
      expect(answer.data.map(({ chunk_id }) => chunk_id)).toEqual(
        expected.data.map(({ chunk_id }: { chunk_id: string }) => chunk_id),
      )
      expect(answer.data[0]).toEqual({
        ...expected.data[0],
        score: expect.closeTo(expected.data[0].score, 3),
        scores: expect.anything(),
      })
      expect(answer.status).toBe(expected.status)
    }
  })

  test('follows a change, a removal and a rename', async () => {
    const tenant = await stand.tenant()
    const [id] = await storeKnown(stand, tenant)
    const agent = await open(tenant)
    const contents = async (query: string) =>
      (await agent.search({ query, mode: 'keyword' })).data.map(({ content }) => content)
    await serveTexts(stand, tenant, [{ content: 'The parrot is called Rosalinde.' }])
    await vi.waitFor(async () => expect(await contents('parrot')).toEqual(['The parrot is called Rosalinde.']), 3000)
    await tenant.call('DELETE', `${tenant.knowledgeBase}/${id}`)
    await vi.waitFor(async () => expect(await contents('bakery sunday')).not.toContain(known.hours[1]), 3000)
    await tenant.call('PATCH', `/v1/agents/${tenant.agentId}`, { name: 'Bakery', time_zone: 'Asia/Tokyo' })
    await vi.waitFor(async () => {
      const { dates } = await agent.search({ query: 'open today', mode: 'keyword', as_of: '2026-12-24T20:00:00Z' })
      expect(dates).toEqual([{ said: 'today', from: '2026-12-25', to: '2026-12-25' }])
    }, 3000)
  })
})

describe('the folder’s cache', () => {
  test('is what the next start has at once, and follows from there', async () => {
    const tenant = await tenantWithDocuments(stand)
    const directory = await newFolder()
    await (await open(tenant, { folder: directory })).close()
    const agent = await open(tenant, { folder: directory })
    expect(agent.status()).toMatchObject({ ageSeconds: null, chunks: 3 })
    await vi.waitFor(() => expect(agent.status().ageSeconds).toBeLessThan(60), 3000)
    await serveTexts(stand, tenant, [{ content: 'The parrot is called Rosalinde.' }])
    await vi.waitFor(() => expect(agent.status().chunks).toBe(4), 5000)
  })

  test('is loaded anew if a file of it is damaged or missing', async () => {
    const tenant = await tenantWithDocuments(stand)
    const directory = await newFolder()
    await (await open(tenant, { folder: directory })).close()
    const own = join(directory, tenant.agentId)
    const [part] = (await readdir(own)).filter((name) => name !== 'manifest.json')
    for (const damage of [
      () => truncate(join(own, part!), 100),
      () => rm(join(own, part!)),
      () => truncate(join(own, 'manifest.json'), 20),
      () => writeFile(join(own, 'manifest.json'), 'null'),
    ]) {
      await damage()
      const agent = await open(tenant, { folder: directory })
      expect(agent.status()).toMatchObject({ chunks: 3, ageSeconds: expect.any(Number) })
      await agent.close()
    }
  })
})

describe('knowledge that is too old', () => {
  test('is not searched: the service is asked, and the answer says so', async () => {
    const agent = await open(await tenantWithDocuments(stand), { maxAgeSeconds: 0 })
    const { from, stale, data } = await agent.search(parking)
    expect({ from, stale, content: data[0]!.content }).toEqual({
      from: 'service',
      stale: false,
      content: known.parking[1],
    })
  })

  test('is searched if the service can’t be reached and that was asked for', async () => {
    const tenant = await tenantWithDocuments(stand)
    const relay = await startRelay(gateway.origin)
    const refusing = await open(tenant, { url: relay.origin, maxAgeSeconds: 0 })
    const answering = await open(tenant, { url: relay.origin, maxAgeSeconds: 0, answersStale: true })
    await relay.close()
    await expect(refusing.search(parking)).rejects.toMatchObject({ code: 'temporarily_unavailable' })
    const { from, stale, degraded, data } = await answering.search({ ...parking, deadline_ms: 50 })
    expect({ from, stale, degraded, content: data[0]!.content }).toEqual({
      from: 'process',
      stale: true,
      degraded: 'keyword_only',
      content: known.parking[1],
    })
  })
})

describe('a refused key', () => {
  test('opens nothing', async () => {
    const tenant = await stand.tenant()
    await expect(open({ ...tenant, apiKey: 'cue_no' })).rejects.toMatchObject({ code: 'invalid_api_key' })
    await expect(open(await stand.tenant(['kb:write']))).rejects.toMatchObject({ code: 'missing_permission' })
    await expect(open({ ...tenant, agentId: newId() })).rejects.toMatchObject({ code: 'agent_not_found' })
  })

  test('ends an open agent, whose cache goes', async () => {
    const tenant = await tenantWithDocuments(stand)
    const directory = await newFolder()
    const agent = await open(tenant, { folder: directory })
    await agent.search(parking)
    await sql`update api_keys set revoked_at = now() where organization_id = ${tenant.organizationId}`.execute(stand.db)
    await vi.waitFor(async () => {
      // Each change is answered at once, and the next request then has the key looked up.
      await sql`update agents set name = ${newId()} where id = ${tenant.agentId}`.execute(stand.db)
      await expect(agent.search(parking)).rejects.toMatchObject({ code: 'invalid_api_key' })
    }, 15_000)
    await vi.waitFor(async () => expect(await readdir(directory)).toEqual([]), 30_000)
  }, 20_000)
})

describe('the question’s vector', () => {
  test('may be of a function of the caller’s, if it has the agent’s model', async () => {
    const tenant = await tenantWithDocuments(stand)
    const { embed } = lexicalEmbedder()
    const own = await open(tenant, { vectors: { model: 'lexical-2', embed } })
    const { degraded, data } = await own.search(parking)
    const expected = await overHttp(tenant, parking)
    expect(degraded).toBeNull()
    expect(data[0]!.score).toBeCloseTo(expected.data[0].score, 3)
    const other = await open(tenant, { vectors: { model: 'other', embed } })
    expect(await other.search(parking)).toMatchObject({ degraded: 'keyword_only' })
    await expect(other.search({ ...parking, mode: 'semantic' })).rejects.toMatchObject({
      code: 'temporarily_unavailable',
    })
  })

  test('that comes late is not awaited, and serves the next search', async () => {
    const tenant = await tenantWithDocuments(stand)
    const { promise, resolve } = Promise.withResolvers<void>()
    const embed = async (texts: string[]) => {
      await promise
      return await lexicalEmbedder().embed(texts)
    }
    const agent = await open(tenant, { vectors: { model: 'lexical-2', embed } })
    expect(await agent.search({ ...parking, deadline_ms: 50 })).toMatchObject({ degraded: 'keyword_only' })
    resolve()
    expect(await agent.search(parking)).toMatchObject({ degraded: null })
  })

  test('is made by a prefetch', async () => {
    const tenant = await tenantWithDocuments(stand)
    const asked: string[] = []
    const embed = async (texts: string[]) => {
      asked.push(...texts)
      return await lexicalEmbedder().embed(texts)
    }
    const agent = await open(tenant, { vectors: { model: 'lexical-2', embed } })
    await agent.prefetch({ query: parking.query })
    await agent.search(parking)
    expect(asked).toEqual([parking.query])
  })
})

test('a filter confines the search, as over HTTP', async () => {
  const tenant = await stand.tenant()
  const texts = ['north', 'south'].map((branch) => ({
    title: branch,
    content: `We park behind the ${branch} house.`,
    metadata: { branch, tags: [branch, 'parking'], floor: { number: 2 } },
  }))
  const [north] = await serveTexts(stand, tenant, texts)
  const agent = await open(tenant)
  const filters = [
    { document_metadata: { branch: 'north' } },
    { document_metadata: { tags: ['parking', 'north'] } },
    { document_metadata: { floor: { number: 2 }, branch: 'south' } },
    { document_metadata: { floor: {} } },
    { document_metadata: { floor: 2 } },
    { metadata: { start: 0 } },
    { metadata: { start: 5 } },
    { document_ids: [north!] },
    { document_ids: [north!], document_metadata: { branch: 'south' } },
  ]
  for (const filter of filters) {
    const body = { query: 'Where can I park?', mode: 'keyword', ...filter } as const
    const titles = (await agent.search(body)).data.map(({ document_title }) => document_title)
    const expected = (await overHttp(tenant, body)).data.map(
      ({ document_title }: { document_title: string }) => document_title,
    )
    expect(titles, JSON.stringify(filter)).toEqual(expected)
  }
})

test('a body is refused as the service refuses it', async () => {
  const agent = await open(await stand.tenant())
  const bodies = [
    null,
    'x',
    {},
    { query: '' },
    { query: 'x', limit: 51 },
    { query: 'x', colour: 'red' },
    { mode: 'semantic' },
  ]
  for (const body of bodies)
    await expect(agent.search(body as never)).rejects.toMatchObject({ code: 'validation_failed', errors: [{}] })
})

describe('a question', () => {
  /** The organization's questions, as its log has them. */
  const kept = async ({ call, agentId }: Tenant) => (await call('GET', `/v1/agents/${agentId}/questions`)).body.data

  async function keeping() {
    const tenant = await tenantWithDocuments(stand)
    await sql`update organizations set log_questions = true where id = ${tenant.organizationId}`.execute(stand.db)
    return tenant
  }

  test('is kept as one over HTTP, where the organization keeps them', async () => {
    const tenant = await keeping()
    const agent = await open(tenant)
    await agent.search({ ...parking, call_id: 'call-1' })
    await agent.close()
    await overHttp(tenant, { ...parking, call_id: 'call-1' })
    const [overHttpKept, ownKept] = await kept(tenant)
    const { id, asked_at, milliseconds, answerable, hits, ...same } = overHttpKept
    expect(ownKept).toMatchObject(same)
    const placesOf = (of: { hits: object[] }) => of.hits.map((hit) => ({ ...hit, score: null }))
    expect(placesOf(ownKept)).toEqual(placesOf(overHttpKept))
    expect(agent.status().questionsLost).toBe(0)
  })

  test('is not sent where the organization keeps none', async () => {
    const tenant = await tenantWithDocuments(stand)
    const agent = await open(tenant)
    await agent.search(parking)
    await sql`update organizations set log_questions = true where id = ${tenant.organizationId}`.execute(stand.db)
    await agent.close()
    expect(await kept(tenant)).toEqual([])
  })

  test('that can’t be sent is counted', async () => {
    const tenant = await keeping()
    const relay = await startRelay(gateway.origin)
    const agent = await open(tenant, { url: relay.origin })
    await relay.close()
    for (let i = 0; i < 1002; i++) await agent.search({ query: `ferry ${i}`, mode: 'keyword' })
    expect(agent.status().questionsLost).toBe(2)
    await agent.close()
    expect(agent.status().questionsLost).toBe(1002)
  })
})

test.each([{ url: 'nonsense' }, { maxAgeSeconds: Number.NaN }, { folder: '' }, { vectors: 'other' as never }])(
  'a wrong option is refused: %j',
  async (options) => {
    await expect(open(await stand.tenant(), options)).rejects.toThrow(TypeError)
  },
)

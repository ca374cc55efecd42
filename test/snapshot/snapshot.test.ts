import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { serveChunks } from '../support/documents/documents.ts'
import { known, serveTexts, storeKnown } from '../support/documents/known-documents.ts'
import { useGateway } from '../support/stand/gateway.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'
import { getPart, getParts } from './read-snapshot.ts'

const stand = useStand()
const gateway = useGateway(stand)

const get = (tenant: Tenant, query?: string, headers?: Record<string, string>) =>
  getPart(gateway.origin, tenant, query, headers)

/** A tenant with three documents, their ids, and its first snapshot. */
async function withSnapshot() {
  const tenant = await stand.tenant()
  const ids = await storeKnown(stand, tenant)
  const { part, vectors } = await get(tenant)
  return { ...tenant, ids, part: part!, vectors, version: part!.version }
}

test('a snapshot has what search serves: texts, terms, sketches and vectors', async () => {
  const { part, vectors, agentId, ids } = await withSnapshot()
  expect(part).toMatchObject({
    format: 2,
    agent_id: agentId,
    since: 0,
    agent: { name: 'Agent', time_zone: null, holidays: null },
    next_cursor: null,
  })
  expect(part.documents.map(({ document_id }) => document_id).sort()).toEqual(ids)
  const hours = part.documents.find(({ title }) => title === known.hours[0])
  expect(hours).toMatchObject({ revision: 1, title: known.hours[0], url: null, valid_until: null, is_whole: true })
  const [chunk, ...others] = hours!.chunks!
  expect(others).toEqual([])
  expect(chunk).toMatchObject({ chunk_index: 0, content: known.hours[1], metadata: { start: 0, headings: [] } })
  expect(Buffer.from(chunk!.sketch, 'base64').length).toBe(192)
  expect(vectors!.length).toBe(3 * 3072)
})

test('an agent without documents has an empty snapshot', async () => {
  const { part } = await get(await stand.tenant())
  expect(part).toMatchObject({ version: 0, documents: [], next_cursor: null })
})

describe('what has changed since a version', () => {
  test('is nothing: 304, by `since` and by If-None-Match', async () => {
    const { version, ...tenant } = await withSnapshot()
    expect(await get(tenant, `?since=${version}`)).toMatchObject({ status: 304, bytes: 0, etag: `"${version}"` })
    expect(await get(tenant, '', { 'if-none-match': `"${version}"` })).toMatchObject({ status: 304 })
    expect(await get(tenant, '', { 'if-none-match': '"1000"' })).toMatchObject({ status: 200 })
  })

  test('is the changed documents, and those that search no longer serves', async () => {
    const { version, ids, ...tenant } = await withSnapshot()
    const [hours, bread, parking] = ids
    await tenant.call('PATCH', `${tenant.knowledgeBase}/${hours}`, {
      title: 'Hours',
      valid_until: '2030-01-01T00:00:00Z',
    })
    await tenant.call('DELETE', `${tenant.knowledgeBase}/${bread}`)
    await tenant.call('DELETE', `${tenant.knowledgeBase}/${parking}?trash=true`)
    const { part } = await get(tenant, `?since=${version}`)
    const [renamed, ...removed] = part!.documents
    expect(renamed).toMatchObject({ document_id: hours, title: 'Hours', valid_until: '2030-01-01T00:00:00.000Z' })
    expect(removed).toEqual(
      [bread, parking].map((document_id) => ({ document_id, revision: null, version: expect.any(Number) })),
    )
    expect(part!.version).toBeGreaterThan(version)
    expect(JSON.stringify((await get(tenant)).part)).not.toContain(known.bread[1])
  })

  test('is the agent, without documents, if its clock has changed', async () => {
    const { version, ...tenant } = await withSnapshot()
    await tenant.call('PATCH', `/v1/agents/${tenant.agentId}`, { time_zone: 'Europe/Paris' })
    const { part } = await get(tenant, `?since=${version}`)
    expect(part).toMatchObject({ agent: { time_zone: 'Europe/Paris' }, documents: [] })
  })

  test('is answered as soon as there is something', async () => {
    const { version, ...tenant } = await withSnapshot()
    const waiting = Promise.all([1, 2].map(() => get(tenant, `?since=${version}&wait=25`)))
    await serveTexts(stand, tenant, [{ content: 'The ferry leaves at noon.' }])
    for (const { part } of await waiting)
      expect(part!.documents.map(({ chunks }) => chunks![0]!.content)).toEqual(['The ferry leaves at noon.'])
  })

  test('can’t be told any more: 410 once removed documents are forgotten, and for a version that is newer', async () => {
    const { version, ids, ...tenant } = await withSnapshot()
    await tenant.call('DELETE', `${tenant.knowledgeBase}/${ids[0]}`)
    const { part } = await get(tenant, `?since=${version}`)
    await sql`update packs set unserved_at = now() - interval '8 days' where document_id = ${ids[0]}`.execute(stand.db)
    await stand.sweep()
    expect(await get(tenant, `?since=${version}`)).toMatchObject({ status: 410, error: { code: 'snapshot_expired' } })
    expect(await get(tenant, `?since=${part!.version}`)).toMatchObject({ status: 304 })
    expect(await get(tenant, `?since=${part!.version + 1}`)).toMatchObject({ status: 410 })
    expect(await get(tenant)).toMatchObject({ status: 200 })
  })
})

test.each(['?since=-1', '?since=x', '?wait=5', '?since=1&wait=26', '?cursor=x', '?since=1&cursor=x', '?colour=red'])(
  'a request with %s is refused',
  async (query) => {
    expect(await get(await stand.tenant(), query)).toMatchObject({ status: 400 })
  },
)

test('another organization’s snapshot is not found, and its cursor not valid', async () => {
  const { agentId, knowledgeBase } = await withSnapshot()
  const stranger = await stand.tenant()
  expect(await get({ ...stranger, agentId, knowledgeBase })).toMatchObject({ status: 404 })
  expect(await get({ ...stranger, agentId, knowledgeBase }, '?since=1&wait=20')).toMatchObject({ status: 404 })
})

test('chunks without a vector are left out, as in search', async () => {
  const tenant = await stand.tenant()
  const embedding = Array(1536).fill(0.1)
  await serveChunks(tenant, [{ content: 'The ferry leaves at noon.', embedding }, { content: 'No vector.' }], 'Own')
  const [part] = await getParts(gateway.origin, tenant)
  expect(part!.documents[0]!.chunks!.map(({ content }) => content)).toEqual(['The ferry leaves at noon.'])
})

test('past the bandwidth of an organization a snapshot is refused until the next minute', async () => {
  const { version: _, ...tenant } = await withSnapshot()
  const used = sql`update request_meters set snapshot_minute = date_trunc('minute', now()), snapshot_bytes = 500000000
    where organization_id = ${tenant.organizationId}`
  await used.execute(stand.db)
  const { status, error } = await get(tenant)
  expect([status, error?.code]).toEqual([429, 'rate_limited'])
  expect(await get(await stand.tenant())).toMatchObject({ status: 200 })
})

import { describe, expect, test } from 'vitest'
import { agentExample } from '../../functions/agents/schemas.ts'
import { lexicalEmbedder } from '../../shared/embedding/lexical-embedder.ts'
import { newMcp } from '../mcp/new-mcp.ts'
import { useFakeProvider } from '../support/provider/fake-provider.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'

const stand = useStand()
const provider = useFakeProvider()

const hour = 3_600_000
const inHours = (hours: number) => new Date(Date.now() + hours * hour).toISOString()
const [lastWeek, yesterday, tomorrow, nextWeek] = [-168, -24, 24, 168].map(inHours) as [string, string, string, string]

async function serve(tenant: Tenant, dates: object = {}, content = 'At Christmas we are closed.') {
  const { body } = await tenant.call('POST', tenant.knowledgeBase, { title: 'Christmas', content, ...dates })
  await stand.deliver()
  const path = `${tenant.knowledgeBase}/${body.id}`
  return { id: body.id as string, path, patch: (changes: object) => tenant.call('PATCH', path, changes) }
}

async function find({ call, knowledgeBase }: Tenant) {
  const { body } = await call('POST', `${knowledgeBase}/search`, { query: 'are you closed at christmas' })
  return body.data.length
}

describe('valid_from and valid_until', () => {
  test('are converted to UTC by POST, in a batch and by PATCH, and shown with the document everywhere', async () => {
    const tenant = await stand.tenant()
    const dates = { valid_from: '2026-12-20T00:00:00+02:00', valid_until: '2027-01-07t00:00:00.1239z' }
    const shown = { valid_from: '2026-12-19T22:00:00.000Z', valid_until: '2027-01-07T00:00:00.123Z' }
    const none = { valid_from: null, valid_until: null }
    const created = await tenant.call('POST', tenant.knowledgeBase, { title: 'T', ...dates })
    expect(created).toMatchObject({ status: 201, body: shown })
    const documents = [{ title: 'A', ...dates }, { title: 'B' }, { title: 'C', ...none }]
    const { body } = await tenant.call('POST', `${tenant.knowledgeBase}/batch`, { documents })
    expect(body.data).toMatchObject([shown, none, none])
    const path = `${tenant.knowledgeBase}/${body.data[1].id}`
    expect((await tenant.call('PATCH', path, dates)).body).toMatchObject(shown)
    expect((await tenant.call('PATCH', path, { valid_from: null })).body).toMatchObject({ ...shown, valid_from: null })
    expect((await tenant.call('GET', path)).body).toMatchObject({ ...shown, valid_from: null })
    const { body: list } = await tenant.call('GET', tenant.knowledgeBase)
    const byTitle = Object.fromEntries(list.data.map((document: { title: string }) => [document.title, document]))
    expect(byTitle).toMatchObject({ T: shown, A: shown, B: { ...shown, valid_from: null }, C: none })
  })

  test('decide when search serves the document', async () => {
    const tenant = await stand.tenant()
    const { patch } = await serve(tenant, { valid_from: tomorrow })
    for (const [dates, count] of [
      [{}, 0],
      [{ valid_from: null }, 1],
      [{ valid_from: yesterday, valid_until: tomorrow }, 1],
      [{ valid_from: lastWeek, valid_until: yesterday }, 0],
      [{ valid_from: tomorrow, valid_until: nextWeek }, 0],
      [{ valid_from: null, valid_until: null }, 1],
    ] as const) {
      await patch({ title: 'Christmas', ...dates })
      expect(await find(tenant), JSON.stringify(dates)).toBe(count)
    }
  })

  test('change without a revision, a message or a new status, and stay when the text changes', async () => {
    const tenant = await stand.tenant()
    const { id, path, patch } = await serve(tenant)
    const row = () =>
      stand.db.selectFrom('documents').select(['revision', 'status', 'resend_at']).where('id', '=', id).execute()
    const before = await row()
    expect((await patch({ valid_until: tomorrow })).body.status).toBe('completed')
    expect(await row()).toEqual(before)
    await patch({ content: 'At Christmas we are open.' })
    await stand.deliver()
    expect((await tenant.call('GET', path)).body).toMatchObject({ status: 'completed', valid_until: tomorrow })
  })

  test('count as a client’s edit if they change', async () => {
    const tenant = await stand.tenant()
    const { path, patch } = await serve(tenant, { valid_until: tomorrow })
    const tag = async () => (await tenant.call('GET', path)).headers.etag!
    const first = await tag()
    await patch({ valid_until: tomorrow, valid_from: null })
    expect(await tag()).toBe(first)
    const { headers } = await patch({ valid_from: yesterday })
    expect(await tag()).toBe(headers.etag)
    const guarded = (tag: string) => tenant.call('PATCH', path, { valid_until: null }, { 'if-match': tag })
    expect(await guarded(first)).toMatchObject({ status: 412 })
    expect(await guarded(headers.etag!)).toMatchObject({ status: 200, body: { valid_until: null } })
  })

  test('leave a document that is not valid in lists, with its chunks, and the agent’s tool on', async () => {
    const tenant = await stand.tenant()
    const { path } = await serve(tenant, { valid_until: yesterday })
    expect((await tenant.call('GET', path)).body).toMatchObject({ status: 'completed', searchable_chunk_count: 1 })
    expect((await tenant.call('GET', `${path}/chunks`)).body.data).toHaveLength(1)
    const { body: agent } = await tenant.call('GET', `/v1/agents/${tenant.agentId}`)
    expect(agent.knowledge_base_enabled).toBe(agentExample.knowledge_base_enabled)
  })

  test('prevent the agent’s tools from reading a document that is not valid', async () => {
    const tenant = await stand.tenant()
    const { id, patch } = await serve(tenant)
    const { tool } = newMcp(provider, { embedder: lexicalEmbedder() })(tenant)
    const read = async () => {
      const found = (await tool('search', { query: 'closed at christmas' })).structuredContent.results.length
      const fetched = await tool('fetch', { id: `${id}#0` })
      return [found, fetched.isError ?? false, (await tool('fetch', { id })).isError ?? false]
    }
    expect(await read()).toEqual([1, false, false])
    await patch({ valid_until: yesterday })
    expect(await read()).toEqual([0, true, true])
    await patch({ valid_from: tomorrow, valid_until: null })
    expect(await read()).toEqual([0, true, true])
  })
})

describe('a time that cannot be stored', () => {
  test.each([
    '2026-12-20',
    '2026-12-20T00:00:00',
    '2026-12-20 00:00:00Z',
    '2026-02-30T00:00:00Z',
    '2026-12-20T25:00:00Z',
    '2026-12-20T00:00:00+0100',
    '2026-12-20T00:00:00+24:00',
    '0000-12-31T00:00:00Z',
    '0001-01-01T00:00:00+01:00',
    '9999-12-31T23:59:59-01:00',
    '+294277-01-01T00:00:00Z',
    'infinity',
    'now',
    '',
    1_797_000_000,
    true,
    {},
  ])('is 422 and changes nothing: %j', async (time) => {
    const tenant = await stand.tenant()
    const { body: before } = await tenant.call('POST', tenant.knowledgeBase, { title: 'T', valid_until: tomorrow })
    for (const field of ['valid_from', 'valid_until']) {
      const refused = { status: 422, body: { errors: [{ pointer: `/${field}` }] } }
      expect(await tenant.call('POST', tenant.knowledgeBase, { title: 'T', [field]: time })).toMatchObject(refused)
      const path = `${tenant.knowledgeBase}/${before.id}`
      expect(await tenant.call('PATCH', path, { title: 'U', [field]: time })).toMatchObject(refused)
    }
    expect((await tenant.call('GET', tenant.knowledgeBase)).body.data).toEqual([before])
  })
})

test.each(['0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z', '2028-02-29T23:59:59.5+14:00'])(
  'a time may be %s',
  async (valid_from) => {
    const { call, knowledgeBase } = await stand.tenant()
    const { body } = await call('POST', knowledgeBase, { title: 'T', valid_from })
    expect(body.valid_from).toBe(new Date(valid_from).toISOString())
    expect((await call('GET', knowledgeBase)).body.data).toEqual([body])
  },
)

test('an empty range is 422, in the body or with the stored date', async () => {
  const { call, knowledgeBase } = await stand.tenant()
  const same = { valid_from: '2026-12-20T01:00:00+01:00', valid_until: '2026-12-20T00:00:00Z' }
  const errors = (pointer: string) => ({ status: 422, body: { code: 'validation_failed', errors: [{ pointer }] } })
  expect(await call('POST', knowledgeBase, { title: 'T', ...same })).toMatchObject(errors('/valid_until'))
  const documents = [{ title: 'A' }, { title: 'B', valid_from: tomorrow, valid_until: yesterday }]
  expect(await call('POST', `${knowledgeBase}/batch`, { documents })).toMatchObject(errors('/documents/1/valid_until'))
  expect((await call('GET', knowledgeBase)).body.data).toEqual([])

  const body = { title: 'T', valid_from: yesterday, valid_until: tomorrow }
  const { body: document } = await call('POST', knowledgeBase, body)
  const path = `${knowledgeBase}/${document.id}`
  const patch = (changes: object) => call('PATCH', path, { title: 'U', content: 'Text.', ...changes })
  expect(await patch(same)).toMatchObject(errors('/valid_until'))
  expect(await patch({ valid_until: yesterday })).toMatchObject(errors('/valid_until'))
  expect(await patch({ valid_from: nextWeek })).toMatchObject(errors('/valid_from'))
  expect((await call('GET', path)).body).toEqual(document)
  expect(await patch({ valid_from: null, valid_until: lastWeek })).toMatchObject({ status: 200 })
})

import { expect, test } from 'vitest'
import { createKey } from '../../infra/admin/keys.ts'
import type { OrganizationId } from '../../shared/ids.ts'
import { permissions } from '../../shared/organizations/permissions.ts'
import { copyOrganization } from '../bench/stage/tables.ts'
import { createDocument, serveChunks } from '../support/documents/documents.ts'
import { serveTexts } from '../support/documents/known-documents.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'

const stand = useStand()

const text = 'The parrot is called Rosalinde and lives behind the counter.'
const question = 'What is the parrot called?'

const menu = `| Pizza | Small | Large |
| --- | --- | --- |
| Diavola | £8.40 | £13.60 |
| Truffle | £11.00 | £17.50 |`

async function search({ call, knowledgeBase }: Pick<Tenant, 'call' | 'knowledgeBase'>, body: object) {
  const { status, body: found } = await call('POST', `${knowledgeBase}/search`, body)
  expect(status).toBe(200)
  return found
}

/** The contents that a search finds. */
const contents = async (tenant: Tenant, body: object): Promise<string[]> =>
  (await search(tenant, body)).data.map(({ content }: { content: string }) => content)

/** True if search finds a text in every mode, false if in none. */
async function finds(tenant: Tenant, content: string, query: string, more: object = {}): Promise<boolean> {
  const found = new Set<boolean>()
  for (const mode of ['hybrid', 'semantic', 'keyword'])
    found.add((await contents(tenant, { query, mode, ...more })).includes(content))
  expect(found.size).toBe(1)
  return found.has(true)
}

/** A tenant whose instance keeps an index of these documents. */
async function withIndex() {
  const tenant = await stand.tenant()
  const [parrot] = await serveTexts(stand, tenant, [
    { title: 'Pets', content: text },
    { title: 'Menu', content: menu },
  ])
  const own = await serveChunks(
    tenant,
    [{ content: 'The ferry leaves at noon.', embedding: Array(1536).fill(0.1) }],
    'Own',
  )
  expect(await finds(tenant, text, question)).toBe(true)
  return { ...tenant, path: `${tenant.knowledgeBase}/${parrot}`, own }
}

type Indexed = Awaited<ReturnType<typeof withIndex>>

const patch = async ({ call, path }: Indexed, body: object) =>
  expect((await call('PATCH', path, body)).status).toBe(200)
const patchAgent = async ({ call, agentId }: Indexed, body: object) =>
  expect((await call('PATCH', `/v1/agents/${agentId}`, body)).status).toBe(200)
const sourceOf = async (tenant: Indexed) => (await search(tenant, { query: question })).data[0].source

/** Changes, and what the very next search shows of each. */
const changes: [string, (tenant: Indexed) => Promise<void>][] = [
  [
    'a new text',
    async (tenant) => {
      const added = 'The lighthouse keeper sells postcards.'
      await createDocument(tenant, added)
      await stand.deliver()
      expect(await finds(tenant, added, 'who sells postcards')).toBe(true)
      expect(await finds(tenant, text, question)).toBe(true)
    },
  ],
  [
    'a new revision of a text',
    async (tenant) => {
      await patch(tenant, { content: 'The parrot is called Otto.' })
      expect(await finds(tenant, text, question)).toBe(true)
      await stand.deliver()
      expect(await finds(tenant, 'The parrot is called Otto.', question)).toBe(true)
      expect(await finds(tenant, text, question)).toBe(false)
    },
  ],
  [
    'a deletion',
    async (tenant) => {
      await tenant.call('DELETE', tenant.path)
      expect(await finds(tenant, text, question)).toBe(false)
    },
  ],
  [
    'a move to the trash, and the way back',
    async (tenant) => {
      await tenant.call('DELETE', `${tenant.path}?trash=true`)
      expect(await finds(tenant, text, question)).toBe(false)
      expect((await tenant.call('POST', `${tenant.path}/restore`)).status).toBe(200)
      expect(await finds(tenant, text, question)).toBe(true)
    },
  ],
  [
    'a title, by its words and in the hit',
    async (tenant) => {
      const byTitle = { query: 'zoology', mode: 'keyword' }
      expect(await contents(tenant, byTitle)).toEqual([])
      await patch(tenant, { title: 'Zoology' })
      expect((await search(tenant, byTitle)).data).toMatchObject([
        { content: text, document_title: 'Zoology', source: { title: 'Zoology' } },
      ])
      await patch(tenant, { title: 'Botany' })
      expect(await contents(tenant, byTitle)).toEqual([])
    },
  ],
  [
    'dates',
    async (tenant) => {
      await patch(tenant, { valid_until: '2020-01-01T00:00:00Z' })
      expect(await finds(tenant, text, question)).toBe(false)
      expect(await finds(tenant, text, question, { as_of: '2019-12-31T00:00:00Z' })).toBe(true)
      await patch(tenant, { valid_until: null, valid_from: '2999-01-01T00:00:00Z' })
      expect(await finds(tenant, text, question)).toBe(false)
      await patch(tenant, { valid_from: null })
      expect(await finds(tenant, text, question)).toBe(true)
    },
  ],
  [
    'metadata, to a filter',
    async (tenant) => {
      const filter = { document_metadata: { place: 'pier' } }
      expect(await finds(tenant, text, question, filter)).toBe(false)
      await patch(tenant, { metadata: { place: 'pier' } })
      expect(await finds(tenant, text, question, filter)).toBe(true)
      await patch(tenant, { metadata: { place: 'square' } })
      expect(await finds(tenant, text, question, filter)).toBe(false)
    },
  ],
  [
    'an external id, as the source’s address',
    async (tenant) => {
      expect(await sourceOf(tenant)).toMatchObject({ url: null })
      await patch(tenant, { external_id: 'https://inn.example/parrot' })
      expect(await sourceOf(tenant)).toMatchObject({ url: 'https://inn.example/parrot' })
    },
  ],
  [
    'chunks of a completed document, also by their metadata',
    async (tenant) => {
      const { path } = tenant.own
      const content = 'The ferry returns at midnight.'
      const chunk = { content, chunk_index: 1, embedding: Array(1536).fill(0.2), metadata: { way: 'back' } }
      expect((await tenant.call('POST', `${path}/chunks`, { chunks: [chunk] })).status).toBe(201)
      expect(await finds(tenant, content, 'when does the ferry return')).toBe(true)
      expect(await contents(tenant, { query: 'the ferry', metadata: { way: 'back' } })).toEqual([content])
      expect((await tenant.call('DELETE', `${path}/chunks`)).status).toBe(204)
      expect(await finds(tenant, content, 'when does the ferry return')).toBe(false)
    },
  ],
  [
    'the agent’s time zone',
    async (tenant) => {
      const today = async () =>
        (await search(tenant, { query: 'are you open today', as_of: '2026-12-24T20:00:00Z' })).dates[0].from
      expect(await today()).toBe('2026-12-24')
      await patchAgent(tenant, { time_zone: 'Pacific/Auckland' })
      expect(await today()).toBe('2026-12-25')
    },
  ],
  [
    'the agent’s name, whose words need no account in a value',
    async (tenant) => {
      const value = async () => (await search(tenant, { query: 'how much is a large diavola at Luigi’s' })).value
      expect(await value()).toBeNull()
      await patchAgent(tenant, { name: 'Luigi’s' })
      expect(await value()).toMatchObject({ text: '£13.60' })
    },
  ],
]

test.each(changes)('the very next search shows %s', async (_, change) => await change(await withIndex()))

test('the first search of an agent that nobody has changed knows its time zone', async () => {
  const { call } = await stand.tenant()
  const { body: agent } = await call('POST', '/v1/agents', { name: 'New', time_zone: 'Pacific/Auckland' })
  const asked = { query: 'are you open today', as_of: '2026-12-24T20:00:00Z' }
  const { dates } = await search({ call, knowledgeBase: `/v1/agents/${agent.id}/knowledge-base` }, asked)
  expect(dates).toEqual([{ said: 'today', from: '2026-12-25', to: '2026-12-25' }])
})

test('an organization searches its own agent, even if another’s has the same id and documents of the same ids', async () => {
  const one = await withIndex()
  const query = async (statement: string, values?: unknown[]) => (await stand.pool.query(statement, values)).rows
  const organizationId = await copyOrganization({ query } as Parameters<typeof copyOrganization>[0], one.organizationId)
  const granted = { organizationId: organizationId as OrganizationId, name: 'copy', permissions: [...permissions] }
  const { key } = await createKey(stand.db, granted)
  const call: Tenant['call'] = (method, path, body) => stand.http(method, path, body, { 'x-api-key': key })
  const copy = { ...one, organizationId, apiKey: key, call }
  // Both agents have the same version afterwards.
  const urls = { one: 'https://one.example/pets', copy: 'https://copy.example/pets' }
  await patch(one, { title: 'Original', external_id: urls.one })
  await patch(copy, { title: 'Copy', external_id: urls.copy })
  const byTitle = (tenant: Indexed, query: string) => contents(tenant, { query, mode: 'keyword' })
  expect([await byTitle(one, 'original'), await byTitle(one, 'copy')]).toEqual([[text], []])
  expect([await byTitle(copy, 'original'), await byTitle(copy, 'copy')]).toEqual([[], [text]])
  expect([await sourceOf(one), await sourceOf(copy)]).toMatchObject([{ url: urls.one }, { url: urls.copy }])
  await call('DELETE', one.path)
  expect([await finds(one, text, question), await finds(copy, text, question)]).toEqual([true, false])
  const stranger = { ...one, ...(await stand.tenant()), knowledgeBase: one.knowledgeBase }
  expect(await stranger.call('POST', `${one.knowledgeBase}/search`, { query: question })).toMatchObject({
    status: 404,
    body: { code: 'agent_not_found' },
  })
})

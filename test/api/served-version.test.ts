import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { createDocument } from '../support/documents/documents.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'

const stand = useStand()

async function versionOf({ organizationId, agentId }: Tenant): Promise<number> {
  const { rows } = await sql<{ version: string }>`select served_version as version from agents
    where organization_id = ${organizationId} and id = ${agentId}`.execute(stand.db)
  return Number(rows[0]!.version)
}

/** A tenant with a served document, and a document of the client's own with one served chunk. */
async function withServed() {
  const tenant = await stand.tenant()
  const { call, knowledgeBase } = tenant
  const served = await createDocument(tenant, 'We open at nine.', 'Hours')
  const own = await call('POST', knowledgeBase, { title: 'Own' })
  const ownPath = `${knowledgeBase}/${own.body.id}`
  const upload = (chunk_index: number, embedding: number[] | undefined = Array(1536).fill(0.1)) =>
    call('POST', `${ownPath}/chunks`, { chunks: [{ content: `Part ${chunk_index}`, chunk_index, embedding }] })
  await upload(0)
  await call('PATCH', ownPath, { status: 'completed' })
  await stand.deliver()
  return { ...tenant, path: served.path, ownPath, upload }
}

type Served = Awaited<ReturnType<typeof withServed>>

const shown: [string, (served: Served) => Promise<unknown>][] = [
  ['a title', ({ call, path }) => call('PATCH', path, { title: 'Opening hours' })],
  ['metadata', ({ call, path }) => call('PATCH', path, { metadata: { place: 'Main Street' } })],
  ['an external id', ({ call, path }) => call('PATCH', path, { external_id: 'https://inn.example/hours' })],
  ['a date', ({ call, path }) => call('PATCH', path, { valid_until: '2031-01-01T00:00:00Z' })],
  [
    'a new revision, once it is served',
    async ({ call, path }) => {
      await call('PATCH', path, { content: 'We open at ten.' })
      await stand.deliver()
    },
  ],
  ['a chunk of a served document', ({ upload }) => upload(1)],
  [
    'chunks that are put into service',
    async (served) => {
      const { call, ownPath, upload } = served
      await call('DELETE', `${ownPath}/chunks`)
      await upload(0)
      const before = await versionOf(served)
      await call('PATCH', ownPath, { status: 'completed' })
      expect(await versionOf(served)).toBeGreaterThan(before)
    },
  ],
  ['the deletion of chunks', ({ call, ownPath }) => call('DELETE', `${ownPath}/chunks`)],
  ['a move to the trash', ({ call, path }) => call('DELETE', `${path}?trash=true`)],
  ['a deletion', ({ call, path }) => call('DELETE', path)],
  ['a time zone', ({ call, agentId }) => call('PATCH', `/v1/agents/${agentId}`, { time_zone: 'Europe/Berlin' })],
  ['holidays', ({ call, agentId }) => call('PATCH', `/v1/agents/${agentId}`, { holidays: 'DE' })],
  ['the agent’s name', ({ call, agentId }) => call('PATCH', `/v1/agents/${agentId}`, { name: 'Other' })],
]

test.each(shown)('%s moves the version that instances compare', async (_, act) => {
  const served = await withServed()
  const before = await versionOf(served)
  await act(served)
  expect(await versionOf(served)).toBeGreaterThan(before)
})

test('a document that comes back from the trash moves it, too', async () => {
  const served = await withServed()
  await served.call('DELETE', `${served.path}?trash=true`)
  const before = await versionOf(served)
  await served.call('POST', `${served.path}/restore`)
  expect(await versionOf(served)).toBeGreaterThan(before)
})

const unseen: [string, (served: Served) => Promise<unknown>][] = [
  ['a text that is not served yet', ({ call, path }) => call('PATCH', path, { content: 'We open at ten.' })],
  ['a new document', ({ call, knowledgeBase }) => call('POST', knowledgeBase, { title: 'New', content: 'Text.' })],
  [
    'a chunk without an embedding',
    ({ call, ownPath }) => call('POST', `${ownPath}/chunks`, { chunks: [{ content: 'Part 1', chunk_index: 1 }] }),
  ],
  ['the same title', ({ call, path }) => call('PATCH', path, { title: 'Hours' })],
  ['a search', ({ call, knowledgeBase }) => call('POST', `${knowledgeBase}/search`, { query: 'When do you open?' })],
]

test.each(unseen)('%s leaves it as it is', async (_, act) => {
  const served = await withServed()
  const before = await versionOf(served)
  await act(served)
  expect(await versionOf(served)).toBe(before)
})

import { randomUUID } from 'node:crypto'
import { afterEach, expect, test } from 'vitest'
import { claim, type RevisionClaim } from '../../functions/embedding/claim.ts'
import { type Claimant, endInError } from '../../shared/documents/attempt.ts'
import { strayRows } from '../support/database/stray-rows.ts'
import { axis } from '../support/provider/axis.ts'
import { type Answer, type Tenant, useStand } from '../support/stand/stand.ts'

const stand = useStand()
afterEach(async () => expect(await strayRows(stand.db)).toEqual([]))

interface Subject {
  tenant: Tenant
  path: string
  claim?: RevisionClaim | undefined
}

const content = 'Closed on Sunday.'
const chunk = (chunk_index: number, text = 'mine') => ({ content: text, chunk_index, embedding: axis(chunk_index) })

async function create(input: object): Promise<Subject> {
  const tenant = await stand.tenant()
  const { headers } = await tenant.call('POST', tenant.knowledgeBase, { title: 'Hours', ...input })
  return { tenant, path: headers.location! }
}

async function taken(subject: Subject): Promise<Subject> {
  const { organizationId } = subject.tenant
  const claimant = { organizationId, documentId: subject.path.split('/').at(-1)!, leaseToken: randomUUID() }
  const [claimed] = await claim(stand.db, [claimant as Claimant])
  return { ...subject, claim: claimed }
}

/** Ways to bring a new document into each state. Those of the first four are the service's, the others the caller's. */
const states = {
  pending: () => create({ content }),
  processing: async () => taken(await create({ content })),
  completed: async () => {
    const subject = await create({ content })
    await stand.deliver()
    return subject
  },
  error: async () => {
    const subject = await taken(await create({ content }))
    await endInError({ db: stand.db, claim: subject.claim! }, { code: 'chunk_refused', message: 'Edit the text.' })
    return subject
  },
  empty: () => create({}),
  draft: async () => {
    const subject = await create({ content })
    await stand.deliver()
    await upload(subject, chunk(0))
    return subject
  },
  served: async () => {
    const subject = await create({ content })
    await upload(subject, chunk(0))
    await patch(subject, { status: 'completed' })
    return subject
  },
} satisfies Record<string, () => Promise<Subject>>

const get = ({ tenant, path }: Subject) => tenant.call('GET', path)
const patch = ({ tenant, path }: Subject, body: object) => tenant.call('PATCH', path, body)
const upload = ({ tenant, path }: Subject, ...chunks: object[]) => tenant.call('POST', `${path}/chunks`, { chunks })
const listed = async ({ tenant, path }: Subject): Promise<string[]> =>
  (await tenant.call('GET', `${path}/chunks`)).body.data.map((item: { content: string }) => item.content)

/** What a search finds of the document, whatever it is asked for; the document and the list say how much that is. */
async function served({ tenant, path }: Subject): Promise<string[]> {
  const { body } = await tenant.call('POST', `${tenant.knowledgeBase}/search`, { embedding: axis(0), limit: 50 })
  const document = (await tenant.call('GET', path)).body
  if (document.id) {
    expect(document.searchable_chunk_count).toBe(body.data.length)
    expect((await tenant.call('GET', tenant.knowledgeBase)).body.data).toContainEqual(document)
  }
  return body.data.map((hit: { content: string }) => hit.content)
}

function expectRefusal(answer: Answer, code: string) {
  expect(answer).toMatchObject({ status: code === 'validation_failed' ? 422 : 409, body: { code } })
}

/** Runs what is refused, and shows that the document is as it was. */
async function refuses(subject: Subject, body: object, code: string) {
  const before = await get(subject)
  expectRefusal(await patch(subject, body), code)
  const after = await get(subject)
  expect(after.body).toEqual(before.body)
  expect(after.headers.etag).toBe(before.headers.etag)
}

test('a takeover is completed only with a chunk that has an embedding', async () => {
  const subject = await states.empty()
  await refuses(subject, { status: 'completed' }, 'no_chunks')
  await upload(subject, { content: 'no vector', chunk_index: 0 })
  await refuses(subject, { status: 'completed' }, 'chunks_missing_embeddings')
  await upload(subject, chunk(1))
  expect(await patch(subject, { status: 'completed' })).toMatchObject({
    status: 200,
    body: { status: 'completed', chunk_count: 2 },
  })
  expect(await served(subject)).toEqual(['mine'])
})

test('what goes from the service to its caller and back is served until the next is completed', async () => {
  const subject = await states.completed()
  await upload(subject, chunk(0), { content: 'no vector', chunk_index: 1 }, chunk(2))
  expect(await served(subject)).toEqual([content])
  await patch(subject, { status: 'completed' })
  expect(await served(subject)).toEqual(['mine', 'mine'])
  await patch(subject, {
    content: Array.from({ length: 60 }, (_, i) => `Sentence number ${i} tells of one more thing in our shop.`).join(
      '\n\n',
    ),
  })
  await upload(subject, chunk(0))
  expect((await get(subject)).body).toMatchObject({ chunk_count: 1, searchable_chunk_count: 2 })
  await patch(subject, { status: 'pending' })
  expect((await get(subject)).body).toMatchObject({ chunk_count: 3, searchable_chunk_count: 2 })
  await stand.deliver()
  expect((await served(subject)).length).toBeGreaterThan(1)
})

test('more chunks for a completed document of the caller’s are served at once', async () => {
  const subject = await states.served()
  const { body } = await upload(subject, chunk(1, 'later'), { content: 'no vector', chunk_index: 2 })
  expect(body).toMatchObject({ chunk_count: 3, data: [{ chunk_index: 1 }, {}] })
  expect((await get(subject)).body).toMatchObject({ status: 'completed', chunk_count: 3 })
  expect(await served(subject)).toEqual(['mine', 'later'])
})

test('chunks of an index that is stored are refused as a whole, and named', async () => {
  const subject = await states.served()
  const answer = await upload(subject, chunk(1), chunk(0), chunk(2))
  expect(answer).toMatchObject({ status: 409, body: { code: 'chunk_index_conflict', chunk_indexes: [0] } })
  expect(await listed(subject)).toEqual(['mine'])
})

test('an agent’s tool is on from its first served document to its last', async () => {
  const subject = await states.pending()
  const { tenant } = subject
  const isEnabled = async () => {
    return (await tenant.call('GET', `/v1/agents/${tenant.agentId}`)).body.knowledge_base_enabled
  }
  expect(await isEnabled()).toBe(false)
  await stand.deliver()
  expect(await isEnabled()).toBe(true)
  const { headers } = await tenant.call('POST', tenant.knowledgeBase, { title: 'Second' })
  const second = { tenant, path: headers.location! }
  await upload(second, chunk(0))
  await patch(second, { status: 'completed' })
  await patch(subject, { content: 'Other.' })
  expect(await isEnabled()).toBe(true)
  await tenant.call('DELETE', subject.path)
  expect(await isEnabled()).toBe(true)
  await tenant.call('DELETE', `${second.path}/chunks`)
  expect(await isEnabled()).toBe(false)
  await upload(second, chunk(5))
  expect(await isEnabled()).toBe(false)
  await patch(second, { status: 'completed' })
  expect(await isEnabled()).toBe(true)
  await tenant.call('DELETE', second.path)
  expect(await isEnabled()).toBe(false)
})

import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, test } from 'vitest'
import { claimRevisions, type RevisionClaim } from '../../functions/embedding/claim.ts'
import { planRevision } from '../../functions/embedding/revision-plan.ts'
import { completeRevisions } from '../../functions/embedding/stored-chunks.ts'
import { type Claimant, endInError } from '../../shared/documents/processing/attempt.ts'
import { permitOf } from '../../shared/knowledge/commit.ts'
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
  const [claimed] = await claimRevisions(stand.db, [claimant as Claimant])
  return { ...subject, claim: claimed }
}

/** Ways to bring a new document into each state. The first four belong to the service, the others to the client. */
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

type State = keyof typeof states
const serviceStates: State[] = ['pending', 'processing', 'completed', 'error']
const allStates = Object.keys(states) as State[]

const get = ({ tenant, path }: Subject) => tenant.call('GET', path)
const patch = ({ tenant, path }: Subject, body: object) => tenant.call('PATCH', path, body)
const upload = ({ tenant, path }: Subject, ...chunks: object[]) => tenant.call('POST', `${path}/chunks`, { chunks })
const listed = async ({ tenant, path }: Subject): Promise<string[]> =>
  (await tenant.call('GET', `${path}/chunks`)).body.data.map((item: { content: string }) => item.content)

/** The chunks of the document that search finds for any question; the document and the list give their number. */
async function served({ tenant, path }: Subject): Promise<string[]> {
  const { body } = await tenant.call('POST', `${tenant.knowledgeBase}/search`, { embedding: axis(0), limit: 50 })
  const document = (await tenant.call('GET', path)).body
  if (document.id) {
    expect(document.searchable_chunk_count).toBe(body.data.length)
    expect((await tenant.call('GET', tenant.knowledgeBase)).body.data).toContainEqual(document)
  }
  return body.data.map((hit: { content: string }) => hit.content)
}

async function managedBy({ path }: Subject): Promise<string> {
  const id = path.split('/').at(-1)!
  const row = await stand.db.selectFrom('documents').select('managed_by').where('id', '=', id).executeTakeFirstOrThrow()
  return row.managed_by
}

function expectRefusal(answer: Answer, code: string) {
  expect(answer).toMatchObject({ status: code === 'validation_failed' ? 422 : 409, body: { code } })
}

/** Expects that a change is refused and leaves the document unchanged. */
async function refuses(subject: Subject, body: object, code: string) {
  const before = await get(subject)
  expectRefusal(await patch(subject, body), code)
  const after = await get(subject)
  expect(after.body).toEqual(before.body)
  expect(after.headers.etag).toBe(before.headers.etag)
}

/** Expects that the worker's claim of the document completes nothing. */
async function expectVoid({ claim }: Subject) {
  if (!claim) return
  expect(
    await completeRevisions(stand.db, [{ claim, plan: planRevision(claim, [], 'lexical-2'), permit: permitOf(claim) }]),
  ).toEqual(['lease_lost'])
}

test('a document created without content is pending and not queued', async () => {
  const subject = await states.empty()
  expect((await get(subject)).body).toMatchObject({ status: 'pending', content: null, chunk_count: 0 })
  await stand.deliver()
  await stand.sweep()
  await stand.deliver()
  expect((await get(subject)).body).toMatchObject({ status: 'pending' })
})

test('the pipeline takes a document from pending through processing to completed, or to error with a message', async () => {
  expect((await get(await states.processing())).body).toMatchObject({ status: 'processing', error_message: null })
  const completed = await states.completed()
  expect((await get(completed)).body).toMatchObject({ status: 'completed', error_message: null })
  expect(await served(completed)).toEqual([content])
  expect((await get(await states.error())).body).toMatchObject({ status: 'error', error_message: 'Edit the text.' })
})

describe.each(allStates)('a document (%s)', (state) => {
  test('with new content is pending, the service’s and queued, and work in flight is void', async () => {
    const subject = await states[state]()
    const before = await served(subject)
    const answer = await patch(subject, { content: 'Open on Sunday.' })
    expect(answer).toMatchObject({
      status: 200,
      body: { status: 'pending', content: 'Open on Sunday.', error_message: null },
    })
    expect(await managedBy(subject)).toBe('service')
    expect(await served(subject)).toEqual(before)
    expect(await listed(subject)).toEqual(before)
    expect((await get(subject)).body.chunk_count).toBe(before.length)
    await expectVoid(subject)
    await stand.deliver()
    expect((await get(subject)).body).toMatchObject({ status: 'completed', chunk_count: 1 })
    expect(await served(subject)).toEqual(['Open on Sunday.'])
    expect(await listed(subject)).toEqual(['Open on Sunday.'])
  })

  test('with the same content or a new title keeps its status and is not queued, and refused changes leave it as it is', async () => {
    const subject = await states[state]()
    const before = await get(subject)
    if (state !== 'empty') {
      const same = await patch(subject, { content })
      expect(same).toMatchObject({ status: 200, body: before.body })
      expect(same.headers.etag).toBe(before.headers.etag)
    }
    const status = ['processing', 'error', 'done', '', null, 1, ['completed']][allStates.indexOf(state)]
    await refuses(subject, { status }, 'validation_failed')
    await refuses(subject, { content: 'Open on Sunday.', status: 'completed' }, 'invalid_transition')
    await refuses(subject, { content, status: 'completed', title: 'x' }, 'invalid_transition')
    const renamed = await patch(subject, { title: ' Renamed ' })
    expect(renamed).toMatchObject({ status: 200, body: { title: 'Renamed', status: before.body.status } })
    expect(renamed.headers.etag).not.toBe(before.headers.etag)
  })

  test('without its chunks is pending, the client’s, and not served', async () => {
    const subject = await states[state]()
    expect((await subject.tenant.call('DELETE', `${subject.path}/chunks`)).status).toBe(204)
    expect((await get(subject)).body).toMatchObject({ status: 'pending', chunk_count: 0, error_message: null })
    expect(await managedBy(subject)).toBe('client')
    expect(await served(subject)).toEqual([])
    expect(await listed(subject)).toEqual([])
    await expectVoid(subject)
    await stand.deliver()
    expect((await get(subject)).body).toMatchObject({ status: 'pending', chunk_count: 0 })
    expectRefusal(await patch(subject, { status: 'completed' }), 'no_chunks')
  })

  test('is gone after DELETE, with its chunks, whatever work was in flight', async () => {
    const subject = await states[state]()
    expect((await subject.tenant.call('DELETE', subject.path)).status).toBe(204)
    await expectVoid(subject)
    await stand.deliver()
    expect(await subject.tenant.call('DELETE', subject.path)).toMatchObject({ body: { code: 'document_not_found' } })
    expect(await get(subject)).toMatchObject({ status: 404 })
    expect(await served(subject)).toEqual([])
    const chunks = stand.db.selectFrom('chunks').where('organization_id', '=', subject.tenant.organizationId)
    expect(await chunks.select('id').execute()).toEqual([])
  })
})

describe.each(['error', 'completed', 'pending', 'draft', 'served'] as const)('a retry (%s)', (state) => {
  test('is pending, the service’s and queued, and search serves the last completed revision meanwhile', async () => {
    const subject = await states[state]()
    const before = await served(subject)
    expect(await patch(subject, { status: 'pending' })).toMatchObject({
      status: 200,
      body: { status: 'pending', error_message: null },
    })
    expect(await managedBy(subject)).toBe('service')
    expect(await served(subject)).toEqual(before)
    await stand.deliver()
    expect((await get(subject)).body).toMatchObject({ status: 'completed', chunk_count: 1 })
    expect(await served(subject)).toEqual([content])
  })
})

describe.each(serviceStates)('the client’s first chunks for a document (%s)', (state) => {
  test('take it over: it is pending with only these chunks, which search serves once it is completed', async () => {
    const subject = await states[state]()
    const before = await served(subject)
    expect(await upload(subject, chunk(0), chunk(1))).toMatchObject({ status: 201, body: { chunk_count: 2 } })
    expect((await get(subject)).body).toMatchObject({ status: 'pending', chunk_count: 2, error_message: null })
    expect(await managedBy(subject)).toBe('client')
    await expectVoid(subject)
    await stand.deliver()
    expect((await get(subject)).body).toMatchObject({ status: 'pending', chunk_count: 2 })
    expect(await listed(subject)).toEqual(['mine', 'mine'])
    expect(await served(subject)).toEqual(before)

    expect(await patch(subject, { status: 'completed' })).toMatchObject({ status: 200, body: { status: 'completed' } })
    expect(await served(subject)).toEqual(['mine', 'mine'])
  })
})

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

test('a document that changes from the service to its client and back is served until its next completion', async () => {
  const subject = await states.completed()
  await upload(subject, chunk(0), { content: 'no vector', chunk_index: 1 }, chunk(2))
  expect(await served(subject)).toEqual([content])
  await patch(subject, { status: 'completed' })
  expect(await served(subject)).toEqual(['mine', 'mine'])
  const sentences = Array.from({ length: 60 }, (_, i) => `Sentence number ${i} tells of one more thing in our shop.`)
  await patch(subject, { content: sentences.join('\n\n') })
  await upload(subject, chunk(0))
  expect((await get(subject)).body).toMatchObject({ chunk_count: 1, searchable_chunk_count: 2 })
  await patch(subject, { status: 'pending' })
  expect((await get(subject)).body).toMatchObject({ chunk_count: 3, searchable_chunk_count: 2 })
  await stand.deliver()
  expect((await served(subject)).length).toBeGreaterThan(1)
})

test('more chunks for a client’s completed document are served at once', async () => {
  const subject = await states.served()
  const { body } = await upload(subject, chunk(1, 'later'), { content: 'no vector', chunk_index: 2 })
  expect(body).toMatchObject({ chunk_count: 3, data: [{ chunk_index: 1 }, {}] })
  expect((await get(subject)).body).toMatchObject({ status: 'completed', chunk_count: 3 })
  expect(await served(subject)).toEqual(['mine', 'later'])
})

test.each([
  ['pending', 'completed', 'processing_in_progress'],
  ['processing', 'completed', 'processing_in_progress'],
  ['processing', 'pending', 'processing_in_progress'],
  ['error', 'completed', 'no_chunks'],
] as const)(
  'a document of the service (%s) cannot become %s, and the refusal leaves its title',
  async (state, status, code) => {
    await refuses(await states[state](), { title: 'New', status }, code)
  },
)

test.each(['completed', 'served'] as const)('the status completed changes nothing (%s)', async (state) => {
  const subject = await states[state]()
  const before = await get(subject)
  const answer = await patch(subject, { status: 'completed' })
  expect(answer).toMatchObject({ status: 200, body: before.body })
  expect(answer.headers.etag).toBe(before.headers.etag)
})

test('a retry is refused without content', async () => {
  await refuses(await states.empty(), { status: 'pending' }, 'invalid_transition')
  const completed = await states.empty()
  await upload(completed, chunk(0))
  await patch(completed, { status: 'completed' })
  await refuses(completed, { status: 'pending' }, 'invalid_transition')
})

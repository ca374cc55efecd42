import { afterEach, expect, test } from 'vitest'
import { strayRows } from '../support/database/stray-rows.ts'
import { createDocument, fillAgent } from '../support/documents/documents.ts'
import { axis } from '../support/provider/axis.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'
import { isOnServer, isThorough } from '../support/tools/effort.ts'

const stand = useStand()

afterEach(async () => expect(await strayRows(stand.db)).toEqual([]))

const times = <T>(count: number, run: (i: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, i) => run(i)))

const emptyDocument = async (tenant: Tenant) => (await createDocument(tenant)).path

const upload = (tenant: Tenant, path: string, ...chunks: object[]) => tenant.call('POST', `${path}/chunks`, { chunks })

test('one of two PATCHes with the same If-Match succeeds, and the other gets 412', async () => {
  const tenant = await stand.tenant()
  const { headers } = await tenant.call('POST', tenant.knowledgeBase, { title: 'T' })
  const answers = await times(2, (i) =>
    tenant.call('PATCH', headers.location!, { title: `Title ${i}` }, { 'if-match': headers.etag! }),
  )
  expect(answers.map((answer) => answer.status).toSorted()).toEqual([200, 412])
  const winner = answers.find((answer) => answer.status === 200)!
  const now = await tenant.call('GET', headers.location!)
  expect(now.body).toEqual(winner.body)
  expect(now.headers.etag).toBe(winner.headers.etag)
})

test('twenty parallel requests with one Idempotency-Key create one document', async () => {
  const tenant = await stand.tenant()
  const create = () =>
    tenant.call('POST', tenant.knowledgeBase, { title: 'Once', content: 'text' }, { 'idempotency-key': 'one' })
  const answers = await times(20, create)
  expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([201]))
  expect(new Set(answers.map((answer) => JSON.stringify(answer.body))).size).toBe(1)
  expect(new Set(answers.map((answer) => answer.headers.etag)).size).toBe(1)
  expect(new Set(answers.map((answer) => answer.headers.location)).size).toBe(1)
  expect(answers.filter((answer) => answer.headers['idempotency-replayed'] === undefined)).toHaveLength(1)
  expect((await tenant.call('GET', tenant.knowledgeBase)).body.data).toHaveLength(1)
})

test('twenty parallel uploads with one Idempotency-Key store one batch of chunks', async () => {
  const tenant = await stand.tenant()
  const path = await emptyDocument(tenant)
  const chunks = [{ content: 'a', chunk_index: 0, embedding: axis(0), metadata: { b: [1, 2.5, null], a: 'ä' } }]
  const answers = await times(20, () => tenant.call('POST', `${path}/chunks`, { chunks }, { 'idempotency-key': ' ~' }))
  expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([201]))
  for (const answer of answers) expect(answer.body).toEqual(answers[0]!.body)
  expect(answers.filter((answer) => answer.headers['idempotency-replayed'] === undefined)).toHaveLength(1)
  expect((await tenant.call('GET', path)).body.chunk_count).toBe(1)
})

test('ten parallel batches for one document are all stored', async () => {
  const tenant = await stand.tenant()
  const path = await emptyDocument(tenant)
  const chunk = (i: number, j: number) => ({ content: `${i}.${j}`, chunk_index: i * 20 + j, embedding: axis(i) })
  const answers = await times(10, (i) => upload(tenant, path, ...Array.from({ length: 20 }, (_, j) => chunk(i, j))))
  expect(answers.map((answer) => answer.status)).toEqual(Array(10).fill(201))
  expect(Math.max(...answers.map((answer) => answer.body.chunk_count))).toBe(200)
  expect(new Set(answers.map((answer) => answer.body.chunk_count)).size).toBe(10)
  expect((await tenant.call('GET', path)).body).toMatchObject({ status: 'pending', chunk_count: 200 })
  const { body } = await tenant.call('GET', `${path}/chunks?limit=100`)
  expect(body.data.map((chunk: { chunk_index: number }) => chunk.chunk_index)).toEqual([...Array(100).keys()])
})

test('one of ten parallel batches with the same index is stored', async () => {
  const tenant = await stand.tenant()
  const path = await emptyDocument(tenant)
  const same = { content: 'same', chunk_index: 0 }
  const answers = await times(10, (i) => upload(tenant, path, same, { content: 'own', chunk_index: i + 1 }))
  expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1)
  expect(answers.filter((answer) => answer.body.code === 'chunk_index_conflict')).toHaveLength(9)
  expect((await tenant.call('GET', path)).body.chunk_count).toBe(2)
})

test('chunks uploaded while the document is completed are served, whichever comes first', async () => {
  for (let round = 0; round < (isThorough || isOnServer ? 20 : 5); round++) {
    const tenant = await stand.tenant()
    const path = await emptyDocument(tenant)
    const chunk = (chunk_index: number) => ({ content: `${chunk_index}`, chunk_index, embedding: axis(0) })
    await upload(tenant, path, chunk(0))
    const patch = tenant.call('PATCH', path, { status: 'completed' })
    const [completed, uploaded] = await Promise.all([patch, upload(tenant, path, chunk(1))])
    expect([completed.status, uploaded.status]).toEqual([200, 201])
    expect((await tenant.call('GET', path)).body).toMatchObject({ status: 'completed', chunk_count: 2 })
    const { body } = await tenant.call('POST', `${tenant.knowledgeBase}/search`, { embedding: axis(0) })
    expect(body.data.map((hit: { content: string }) => hit.content)).toEqual(['0', '1'])
  }
})

test('two takeovers at once keep each other’s chunks', async () => {
  const tenant = await stand.tenant()
  const { headers } = await tenant.call('POST', tenant.knowledgeBase, { title: 'T', content: 'text' })
  const answers = await times(2, (i) => upload(tenant, headers.location!, { content: `${i}`, chunk_index: i }))
  expect(answers.map((answer) => answer.status)).toEqual([201, 201])
  expect((await tenant.call('GET', headers.location!)).body).toMatchObject({ status: 'pending', chunk_count: 2 })
})

test('one of two DELETEs at once finds the document', async () => {
  const tenant = await stand.tenant()
  const path = await emptyDocument(tenant)
  const answers = await times(2, () => tenant.call('DELETE', path))
  expect(answers.map((answer) => answer.status).toSorted()).toEqual([204, 404])
})

test('requests at once fill an agent’s last free places, and no more', async () => {
  const tenant = await stand.tenant()
  await fillAgent(stand, tenant, 9_997)
  const answers = await times(6, (i) => tenant.call('POST', tenant.knowledgeBase, { title: `${i}` }))
  expect(answers.map((answer) => answer.status).toSorted()).toEqual([201, 201, 201, 422, 422, 422])
})

const put = (tenant: Tenant, id: string, body: object) =>
  tenant.call('PUT', `${tenant.knowledgeBase}/by-external-id/${id}`, { title: 'T', content: 'text', ...body })

test('one of many PUTs at once with a new external id creates the document, and the others update it', async () => {
  const tenant = await stand.tenant()
  for (const same of [true, false]) {
    const answers = await times(8, (i) => put(tenant, `${same}`, same ? {} : { title: `${i}`, content: `${i}` }))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(7).fill(200), 201])
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
  }
  const documents = (await tenant.call('GET', tenant.knowledgeBase)).body.data
  expect(documents).toHaveLength(2)
  for (const { title, content, external_id } of documents) if (external_id === 'false') expect(title).toBe(content)
})

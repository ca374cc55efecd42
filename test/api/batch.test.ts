import { text } from 'node:stream/consumers'
import { describe, expect, test, vi } from 'vitest'
import { documentsApp } from '../../functions/documents/app.ts'
import { sweep } from '../../functions/sweeper/sweep.ts'
import { sqsQueue } from '../../shared/work/sqs-queue.ts'
import { fillAgent } from '../support/documents/documents.ts'
import { listen } from '../support/http/loopback.ts'
import { callerOf } from '../support/stand/app-caller.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'
import { limit } from '../support/stand/tenant.ts'
import { unusedPresigner } from '../support/stand/unused-presigner.ts'
import { databaseAs, keptQueue, sweeperWith } from '../support/stand/worker.ts'

const stand = useStand()
const numbered = (count: number): { title: string; content?: string }[] =>
  Array.from({ length: count }, (_, i) => ({ title: `${i}`, content: `Text ${i}.` }))
const post = ({ call, knowledgeBase }: Tenant, documents: object[], headers = {}) =>
  call('POST', `${knowledgeBase}/batch`, { documents }, headers)
const titlesOf = async ({ call, knowledgeBase }: Tenant) =>
  (await call('GET', `${knowledgeBase}?limit=100`)).body.data.map(({ title }: { title: string }) => title)

describe('a batch of documents', () => {
  test('of a hundred is created in its order, and processed', async () => {
    const tenant = await stand.tenant()
    const documents = numbered(100)
    const { status, body } = await post(tenant, documents)
    expect(status).toBe(201)
    expect(body.data).toMatchObject(documents.map((document) => ({ ...document, status: 'pending' })))
    await stand.deliver()
    for (const place of [0, 57, 99]) {
      const { body: found } = await tenant.call('GET', `${tenant.knowledgeBase}/${body.data[place].id}`)
      expect(found).toMatchObject({ ...documents[place], status: 'completed', chunk_count: 1 })
    }
  })

  test('holds texts and documents that wait for chunks', async () => {
    const tenant = await stand.tenant()
    const { body } = await post(tenant, [{ title: ' Own ' }, { title: '"\\\u0001 😀', content: '\ufeff“Text”\n' }])
    expect(body.data).toMatchObject([
      { title: 'Own', content: null, status: 'pending' },
      { title: '"\\\u0001 😀', content: '\ufeff“Text”\n' },
    ])
    const chunks = { chunks: [{ content: 'c', chunk_index: 0 }] }
    expect((await tenant.call('POST', `${tenant.knowledgeBase}/${body.data[0].id}/chunks`, chunks)).status).toBe(201)
  })

  test('with invalid documents is refused whole, with a pointer to each fault', async () => {
    const tenant = await stand.tenant()
    const documents = numbered(4).with(1, { title: 'T', content: ' ' }).with(3, { title: '' })
    const { status, body } = await post(tenant, documents)
    expect({ status, code: body.code }).toEqual({ status: 422, code: 'validation_failed' })
    expect(body.errors).toMatchObject([{ pointer: '/documents/1/content' }, { pointer: '/documents/3/title' }])
    expect(await titlesOf(tenant)).toEqual([])
  })

  test.each([0, 101])('of %i is refused', async (count) => {
    const answer = await post(await stand.tenant(), numbered(count))
    expect(answer).toMatchObject({ status: 422, body: { errors: [{ pointer: '/documents' }] } })
  })

  test('that would exceed the limit of the pipeline is refused whole', async () => {
    const tenant = await stand.tenant()
    await limit(stand.db, tenant.organizationId, { documents_in_pipeline: 2 })
    expect(await post(tenant, numbered(3))).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
    expect(await titlesOf(tenant)).toEqual([])
    expect((await post(tenant, numbered(2))).status).toBe(201)
  })

  test('that would exceed the limit of the agent is refused whole, and one that reaches it is created', async () => {
    const tenant = await stand.tenant()
    await fillAgent(stand, tenant, 9_901)
    expect(await post(tenant, numbered(100))).toMatchObject({ status: 422, body: { code: 'validation_failed' } })
    expect((await post(tenant, numbered(99))).status).toBe(201)
    expect(await post(tenant, numbered(1))).toMatchObject({ status: 422 })
  })

  test('is created once under an Idempotency-Key, even after one of its documents was deleted', async () => {
    const tenant = await stand.tenant()
    const create = () => post(tenant, numbered(3), { 'idempotency-key': 'a' })
    const [first, second] = [await create(), await create()]
    expect(second).toMatchObject({ status: 201, headers: { 'idempotency-replayed': 'true' } })
    expect(JSON.stringify(second.body)).toBe(JSON.stringify(first.body))
    expect(await titlesOf(tenant)).toEqual(['2', '1', '0'])
    await tenant.call('DELETE', `${tenant.knowledgeBase}/${first.body.data[1].id}`)
    expect(await create()).toMatchObject({ status: 404, body: { code: 'document_not_found' } })
    expect(await titlesOf(tenant)).toEqual(['2', '0'])
  })

  test('is queued ten messages at a time, and the sweeper sends what the queue refused', async () => {
    const tenant = await stand.tenant()
    const sent: string[][] = []
    const server = await listen(async (request, response) => {
      const { Entries } = JSON.parse(await text(request)) as { Entries: { MessageBody: string }[] }
      sent.push(Entries.map(({ MessageBody }) => JSON.parse(MessageBody).id))
      response.end(JSON.stringify({ Failed: sent.length === 2 ? [{ Id: '3', Code: 'InternalError' }] : [] }))
    })
    vi.stubEnv('AWS_ENDPOINT_URL_SQS', server.origin)
    const signer = () => ({ region: 'eu-central-1', accessKeyId: 'a', secretAccessKey: 's' })
    const app = documentsApp({
      presigner: unusedPresigner,
      db: databaseAs('cuecard_documents'),
      queue: sqsQueue(`${server.origin}/queue`, signer),
    })
    const call = callerOf(app, tenant.apiKey)
    const { body } = await call('POST', `${tenant.knowledgeBase}/batch`, { documents: numbered(25) })
    vi.unstubAllEnvs()
    await server.close()
    const ids = body.data.map(({ id }: { id: string }) => id)
    expect(sent.toSorted()).toEqual([ids.slice(0, 10), ids.slice(10, 20), ids.slice(20)])
    const kept = keptQueue()
    await sweep(sweeperWith(kept.queue))
    expect(kept.sent.map(({ id }) => id)).toEqual([sent[1]![3]])
  })
})

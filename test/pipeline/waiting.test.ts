import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import type { Embedder } from '../../shared/embedding/embedder.ts'
import { statements, useFaultyConnection } from '../support/database/faulty-connection.ts'
import { createDocument, expireLease, newDocument } from '../support/documents/documents.ts'
import { storeServed } from '../support/documents/served-document.ts'
import { listen } from '../support/http/loopback.ts'
import { type Line, useFakeProvider } from '../support/provider/fake-provider.ts'
import { vectorOf } from '../support/provider/provider-responses.ts'
import { newSearch } from '../support/stand/new-search.ts'
import { useStand } from '../support/stand/stand.ts'
import { keptQueue, newWorker, type WorkerOptions } from '../support/stand/worker.ts'

const provider = useFakeProvider()
const stand = useStand()
const connection = useFaultyConnection()

const workerOf = (options: WorkerOptions = {}) => newWorker(stand, provider, { queue: keptQueue().queue, ...options })
const makeDue = (id: string) => sql`update documents set next_attempt_at = now() where id = ${id}`.execute(stand.db)
const tooMany = { status: 200, body: JSON.stringify({ data: [{ index: 0, embedding: Array(3072).fill(1) }] }) }
const other = 'set EMBEDDING_MODEL to another, such as text-embedding-3-small'

describe('a document that the provider makes wait', () => {
  const account = 'API key or account (status 401: Incorrect API key provided): set EMBEDDING_API_KEY to a valid key'
  const faults: [Line, string][] = [
    ['unauthorized', `The embedding provider rejects our ${account}`],
    ['no_such_model', `The embedding provider has no model lexical-2 (status 404: The model does not exist): ${other}`],
    [tooMany, `The model lexical-2 gives 3072 numbers, Cuecard stores 1536 at most: ${other}`],
    ['too_many_requests', 'The embedding provider is busy (status 429: Rate limit reached)'],
    ['server_error', 'The embedding provider failed (status 500: The server had an error)'],
  ]

  test.each(faults)('says why, how often it was tried and when it will be tried again (%#)', async (line, reason) => {
    const { tenant, document } = await newDocument(stand, 'A text.')
    provider.script([], line)
    for (const attempts of [1, 2]) {
      const before = await tenant.call('GET', document.path)
      const started = Date.now()
      await workerOf({ random: () => 0.5 })([document])
      const answer = await tenant.call('GET', document.path, undefined, { 'if-none-match': before.headers.etag! })
      const body = { status: 'pending', error_message: null, waiting: { reason, attempts } }
      expect(answer).toMatchObject({ status: 200, body })
      expect(Date.parse(answer.body.waiting.next_attempt_at)).toBeGreaterThan(started)
      expect((await tenant.call('GET', tenant.knowledgeBase)).body.data).toEqual([answer.body])
      await makeDue(document.id)
    }
    provider.script([])
    await workerOf()([document])
    expect((await tenant.call('GET', document.path)).body).toMatchObject({ status: 'completed', waiting: null })
  })

  test('says so when nobody answers', async () => {
    const { tenant, document } = await newDocument(stand, 'A text.')
    const { origin, close } = await listen(() => {})
    await close()
    await newWorker(stand, { baseUrl: `${origin}/v1` }, { queue: keptQueue().queue })([document])
    expect((await tenant.call('GET', document.path)).body.waiting).toMatchObject({
      reason: 'The embedding provider cannot be reached (ECONNREFUSED)',
    })
  })

  test('has the reason of the documents before it while the circuit breaker is open', async () => {
    const tenant = await stand.tenant()
    const work = workerOf()
    provider.script([], tooMany)
    const documents = [await createDocument(tenant, 'A text.'), await createDocument(tenant, 'A text.')]
    for (const document of documents) await work([document])
    expect(provider.calls).toHaveLength(2)
    const [one, next] = await Promise.all(documents.map(({ path }) => tenant.call('GET', path)))
    const { reason } = one!.body.waiting
    expect(next!.body).toMatchObject({ status: 'pending', waiting: { attempts: 1, reason } })
  })

  test('waits no longer, under a new ETag, once it is edited, taken over, emptied or being processed', async () => {
    const tenant = await stand.tenant()
    const waiting = async () => {
      const document = await createDocument(tenant, 'A text.')
      provider.script(['too_many_requests'])
      await workerOf()([document])
      return document
    }
    for (const [method, more, body] of [
      ['PATCH', '', { content: 'Another text.' }],
      ['PATCH', '', { status: 'pending' }],
      ['POST', '/chunks', { chunks: [{ content: 'c', chunk_index: 0 }] }],
      ['DELETE', '/chunks', undefined],
    ] as const) {
      const { path } = await waiting()
      const { headers } = await tenant.call('GET', path)
      await tenant.call(method, `${path}${more}`, body)
      const after = await tenant.call('GET', path, undefined, { 'if-none-match': headers.etag! })
      expect(after).toMatchObject({ status: 200, body: { status: 'pending', waiting: null } })
    }
    const document = await waiting()
    await makeDue(document.id)
    provider.script([
      async () => {
        expect((await tenant.call('GET', document.path)).body).toMatchObject({ status: 'processing', waiting: null })
        return 'rejected' as const
      },
    ])
    await workerOf()([document])
    expect((await tenant.call('GET', document.path)).body).toMatchObject({ status: 'error', waiting: null })
  })
})

describe('a document that waits for us', () => {
  const read = async ({ tenant, document }: Awaited<ReturnType<typeof newDocument>>) =>
    (await tenant.call('GET', document.path)).body

  test('says that the error was ours', async () => {
    const made = await newDocument(stand, 'A text.')
    const embedder: Embedder = { model: 'm', embed: () => Promise.reject(new TypeError('x is not a function')) }
    await workerOf({ embedder })([made.document])
    const reason = 'Processing failed because of an internal error'
    expect((await read(made)).waiting).toMatchObject({ reason, attempts: 1 })
  })

  test('says that the database was away', async () => {
    const made = await newDocument(stand, 'A text.')
    connection.cut('before', statements.commit, 2)
    await workerOf({ random: () => 0.5 })([made.document])
    expect((await read(made)).waiting).toMatchObject({ reason: 'The database could not be reached', attempts: 1 })
  })

  test('says that its worker was interrupted, when the sweeper has recovered it', async () => {
    const made = await newDocument(stand, 'A text.')
    provider.script(['hang'])
    void workerOf()([made.document])
    await expect.poll(() => provider.calls.length).toBe(1)
    await expireLease(stand.db, made.document)
    await stand.sweep()
    const waiting = { reason: 'Processing was interrupted', attempts: 1 }
    expect(await read(made)).toMatchObject({ status: 'pending', waiting })
  })

  test('is not shown as waiting when it only continues in another run', async () => {
    const made = await newDocument(stand, 'A text.')
    await workerOf()([made.document], () => 20_000)
    expect(await read(made)).toMatchObject({ status: 'pending', waiting: null })
  })
})

test.each(['no_such_model', tooMany] as Line[])('with a wrong model a search finds by words (%#)', async (line) => {
  const tenant = await stand.tenant()
  await storeServed(stand.db, tenant, [{ vector: vectorOf('one') }])
  const { search } = newSearch(provider)
  provider.script([], line)
  expect(await search(tenant)).toMatchObject({ status: 200, body: { degraded: 'keyword_only' } })
  // A search by meaning only gets 503 until the model is asked again.
  expect(await search(tenant, { query: 'a question', mode: 'semantic' })).toMatchObject({
    status: 503,
    headers: { 'retry-after': '15' },
    body: { code: 'temporarily_unavailable', detail: expect.stringContaining('`mode: keyword` works without it') },
  })
  expect(provider.calls).toHaveLength(2)
})

import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import type { Embedder } from '../../shared/embedding/embedder.ts'
import { createDocument, expireLease, newDocument } from '../support/documents.ts'
import { type Line, useFakeProvider } from '../support/fake-provider.ts'
import { statements, useFaultyConnection } from '../support/faulty-connection.ts'
import { listen } from '../support/loopback.ts'
import { newSearch } from '../support/own-search.ts'
import { vectorOf } from '../support/provider-responses.ts'
import { storeServed } from '../support/served-document.ts'
import { useStand } from '../support/stand.ts'
import { keptQueue, newWorker, type WorkerOptions } from '../support/worker.ts'

const provider = useFakeProvider()
const stand = useStand()
const connection = useFaultyConnection()

const workerOf = (options: WorkerOptions = {}) => newWorker(stand, provider, { queue: keptQueue().queue, ...options })
const makeDue = (id: string) => sql`update documents set next_attempt_at = now() where id = ${id}`.execute(stand.db)
const tooFew = {
  status: 200,
  body: JSON.stringify({ data: [{ index: 0, embedding: Array(3072).fill(1) }] }),
}

describe('a document that the provider makes wait', () => {
  const faults: [string, Line, string][] = [
    [
      'rejects the key',
      'unauthorized',
      'The embedding provider rejects our API key or account (status 401: Incorrect API key provided): set EMBEDDING_API_KEY to a valid key',
    ],
    [
      'has no such model',
      'no_such_model',
      'The embedding provider has no model fake (status 404: The model does not exist): set EMBEDDING_MODEL to another, such as text-embedding-3-small',
    ],
    [
      'gives other vectors',
      tooFew,
      'The model fake gives 3072 numbers, Cuecard stores 1536 at most: set EMBEDDING_MODEL to another, such as text-embedding-3-small',
    ],
    ['is busy', 'too_many_requests', 'The embedding provider is busy (status 429: Rate limit reached)'],
    ['fails', 'server_error', 'The embedding provider failed (status 500: The server had an error)'],
  ]

  test.each(faults)(
    'says so when it %s: how often it was tried, and when it will be again',
    async (_, line, reason) => {
      const { tenant, document } = await newDocument(stand, 'A text.')
      provider.script([], line)
      for (const attempts of [1, 2]) {
        const before = await tenant.call('GET', document.path)
        const started = Date.now()
        await workerOf({ random: () => 0.5 })([document])
        const answer = await tenant.call('GET', document.path, undefined, { 'if-none-match': before.headers.etag! })
        expect(answer).toMatchObject({
          status: 200,
          body: { status: 'pending', error_message: null, waiting: { reason, attempts } },
        })
        expect(Date.parse(answer.body.waiting.next_attempt_at)).toBeGreaterThan(started)
        const { body } = await tenant.call('GET', tenant.knowledgeBase)
        expect(body.data).toEqual([answer.body])
        await makeDue(document.id)
      }
      provider.script([])
      await workerOf()([document])
      expect((await tenant.call('GET', document.path)).body).toMatchObject({ status: 'completed', waiting: null })
    },
  )

  test('says so when nobody answers', async () => {
    const { tenant, document } = await newDocument(stand, 'A text.')
    const { origin, close } = await listen(() => {})
    await close()
    await newWorker(stand, { baseUrl: `${origin}/v1` }, { queue: keptQueue().queue })([document])
    expect((await tenant.call('GET', document.path)).body.waiting).toMatchObject({
      reason: 'The embedding provider cannot be reached (ECONNREFUSED)',
    })
  })

  test('has the reason of those that were tried before it, while the circuit breaker is open', async () => {
    const tenant = await stand.tenant()
    const work = workerOf()
    provider.script([], tooFew)
    const first = await createDocument(tenant, 'A text.')
    const second = await createDocument(tenant, 'A text.')
    await work([first])
    await work([second])
    expect(provider.calls).toHaveLength(2)
    const [one, other] = await Promise.all([first, second].map(({ path }) => tenant.call('GET', path)))
    expect(other!.body.waiting.reason).toBe(one!.body.waiting.reason)
    expect(other!.body).toMatchObject({ status: 'pending', waiting: { attempts: 1 } })
  })

  test('shows neither the key nor an address, whatever the provider says', async () => {
    const { tenant, document } = await newDocument(stand, 'A text.')
    const message = `sk-test-key at ${provider.baseUrl}/embeddings: Bearer sk-other-12345678 is unknown to 10.0.0.7:443`
    provider.script([], { status: 503, body: JSON.stringify({ error: { message } }) })
    await workerOf()([document])
    const { reason } = (await tenant.call('GET', document.path)).body.waiting
    expect(reason).toBe('The embedding provider failed (status 503: … at … … is unknown to …)')
  })

  test('waits no longer, under a new ETag, once it is edited, taken over, emptied or being processed', async () => {
    const tenant = await stand.tenant()
    const ends: [string, (path: string) => Promise<unknown>][] = [
      ['pending', (path) => tenant.call('PATCH', path, { content: 'Another text.' })],
      ['pending', (path) => tenant.call('PATCH', path, { status: 'pending' })],
      ['pending', (path) => tenant.call('POST', `${path}/chunks`, { chunks: [{ content: 'c', chunk_index: 0 }] })],
      ['pending', (path) => tenant.call('DELETE', `${path}/chunks`)],
    ]
    for (const [status, end] of ends) {
      const document = await createDocument(tenant, 'A text.')
      provider.script(['too_many_requests'])
      await workerOf()([document])
      const { headers } = await tenant.call('GET', document.path)
      await end(document.path)
      const after = await tenant.call('GET', document.path, undefined, { 'if-none-match': headers.etag! })
      expect(after).toMatchObject({ status: 200, body: { status, waiting: null } })
    }
    const document = await createDocument(tenant, 'A text.')
    provider.script(['too_many_requests'])
    await workerOf()([document])
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
  test('says that the error was ours', async () => {
    const { tenant, document } = await newDocument(stand, 'A text.')
    const embedder: Embedder = { model: 'm', embed: () => Promise.reject(new TypeError('x is not a function')) }
    await workerOf({ embedder })([document])
    expect((await tenant.call('GET', document.path)).body.waiting).toMatchObject({
      reason: 'Processing failed because of an internal error',
      attempts: 1,
    })
  })

  test('says that the database was away', async () => {
    const { tenant, document } = await newDocument(stand, 'A text.')
    connection.cut('before', statements.commit, 2)
    await workerOf({ random: () => 0.5 })([document])
    expect((await tenant.call('GET', document.path)).body.waiting).toMatchObject({
      reason: 'The database could not be reached',
      attempts: 1,
    })
  })

  test('says that its worker was interrupted, when the sweeper has recovered it', async () => {
    const { tenant, document } = await newDocument(stand, 'A text.')
    provider.script(['hang'])
    void workerOf()([document])
    await expect.poll(() => provider.calls.length).toBe(1)
    await expireLease(stand.db, document)
    await stand.sweep()
    expect((await tenant.call('GET', document.path)).body).toMatchObject({
      status: 'pending',
      waiting: { reason: 'Processing was interrupted', attempts: 1 },
    })
  })

  test('does not wait where it only continues in another run', async () => {
    const { tenant, document } = await newDocument(stand, 'A text.')
    await workerOf()([document], () => 20_000)
    expect((await tenant.call('GET', document.path)).body).toMatchObject({ status: 'pending', waiting: null })
  })
})

test.each(['no_such_model', tooFew] as Line[])(
  'with a wrong model a search finds by words, and one by meaning alone is 503 until the model is asked again (%#)',
  async (line) => {
    const tenant = await stand.tenant()
    await storeServed(stand.db, tenant, [{ vector: vectorOf('one') }])
    const { search } = newSearch(provider)
    provider.script([], line)
    expect(await search(tenant)).toMatchObject({ status: 200, body: { degraded: 'keyword_only' } })
    expect(await search(tenant, { query: 'a question', mode: 'semantic' })).toMatchObject({
      status: 503,
      headers: { 'retry-after': '15' },
      body: { code: 'temporarily_unavailable', detail: expect.stringContaining('`mode: keyword` works without it') },
    })
    expect(provider.calls).toHaveLength(2)
  },
)

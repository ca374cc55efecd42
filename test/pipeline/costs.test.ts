import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { batches } from '../../functions/embedding/batches.ts'
import type { Missing } from '../../functions/embedding/revision-plan.ts'
import { createDocument, expireLease, newDocument } from '../support/documents/documents.ts'
import { contentOf, useFakeProvider } from '../support/provider/fake-provider.ts'
import { useStand } from '../support/stand/stand.ts'
import { keptQueue, newWorker } from '../support/stand/worker.ts'

const provider = useFakeProvider()
const stand = useStand()

const size = { targetTokens: 30, overlapTokens: 0 }
const tens = { inputs: 10, tokens: 100_000 }

/** A paragraph that makes one chunk. */
function paragraph(i: number): string {
  const numbered = i.toString(36).split('').join(' ')
  return `Paragraph ${numbered} tells what shelf ${i} of the storehouse holds: ropes, tins, lamps and paper by the dozen.`
}
const paragraphs = (count: number) => Array.from({ length: count }, (_, i) => paragraph(i))

const embedded = () => provider.calls.reduce((sum, call) => sum + call.texts.length, 0)

const content = paragraphs(3).join('\n\n')
test.each([
  ['the same content', 'completed', { content }],
  ['another title', 'completed', { title: 'Another' }],
  ['a retry of what was completed', 'pending', { status: 'pending' }],
  ['a change back and forth that never completed in between', 'pending', { content: 'Else.' }, { content }],
])('%s and a redelivery cost no call', async (_, status, ...edits) => {
  const { tenant, document } = await newDocument(stand, content)
  const work = newWorker(stand, provider)
  await work([document])
  provider.calls.length = 0
  for (const edit of edits) await tenant.call('PATCH', document.path, edit)
  expect((await tenant.call('GET', document.path)).body.status).toBe(status)
  await work([document, document])
  expect((await tenant.call('GET', document.path)).body.status).toBe('completed')
  expect(provider.calls).toHaveLength(0)
})

test('a text that occurs many times in a document is embedded once', async () => {
  const text = `${'Opening hours are from nine to five on every day of the week. '.repeat(2)}\n\n`
  const { tenant, document } = await newDocument(stand, text.repeat(40))
  await newWorker(stand, provider, { chunkSize: size })([document])
  const { body } = await tenant.call('GET', document.path)
  expect(body.chunk_count).toBeGreaterThan(30)
  expect(embedded()).toBeLessThan(8)
})

test('another heading embeds only its own section', async () => {
  const work = newWorker(stand, provider, { chunkSize: size })
  const [sections, rest] = [paragraphs(3).join('\n\n'), paragraphs(9).slice(3).join('\n\n')]
  const text = (heading: string) => `# ${heading}\n\n${sections}\n\n# Second\n\n${rest}`
  const { tenant, document } = await newDocument(stand, text('First'))
  await work([document])
  provider.calls.length = 0
  await tenant.call('PATCH', document.path, { content: text('Renamed') })
  await work([document])
  const texts = provider.calls.flatMap((call) => call.texts)
  expect(texts.length).toBeGreaterThanOrEqual(3)
  expect(texts.every((each) => each.startsWith('T > Renamed\n\n'))).toBe(true)
})

test('a worker with only another model embeds nothing: the document waits', async () => {
  const { tenant, document } = await newDocument(stand, paragraphs(3).join('\n\n'))
  await newWorker(stand, provider)([document])
  const first = embedded()
  await tenant.call('PATCH', document.path, { status: 'pending' })
  await newWorker(stand, provider, { model: 'newer' })([document])
  expect(embedded()).toBe(first)
  const { body } = await tenant.call('GET', document.path)
  expect(body).toMatchObject({ status: 'pending', waiting: { reason: expect.stringContaining('embedding model') } })
})

describe('with checkpoints', () => {
  test('a crash after some calls costs the remaining ones, not all', async () => {
    const { tenant, document } = await newDocument(stand, paragraphs(100).join('\n\n'))
    const options = { chunkSize: size, callLimits: tens, concurrency: 1 }
    provider.script(['ok', 'ok', 'ok', 'ok'], 'hang')
    // Its process stops in the fifth call and reports nothing.
    void newWorker(stand, provider, options)([document])
    await expect.poll(() => provider.calls.length, { timeout: 30_000 }).toBe(5)
    await expireLease(stand.db, document)

    provider.script([])
    await newWorker(stand, provider, options)([document])
    const { body } = await tenant.call('GET', document.path)
    expect(body.status).toBe('completed')
    expect(provider.calls).toHaveLength(1 + Math.ceil(body.chunk_count / 10))
  })

  test('after a 429, the next attempt embeds only the refused texts', async () => {
    const { tenant, document } = await newDocument(stand, paragraphs(50).join('\n\n'))
    const options = { chunkSize: size, callLimits: tens, concurrency: 2 }
    provider.script(['ok', 'too_many_requests', 'ok'], 'too_many_requests')
    await newWorker(stand, provider, { ...options, random: () => 0 })([document])
    expect((await tenant.call('GET', document.path)).body.status).toBe('pending')
    const paid = new Set(await storedVectors(document.id))
    expect(paid.size).toBeGreaterThanOrEqual(10)
    provider.calls.length = 0
    provider.script([])
    await newWorker(stand, provider, options)([document])
    const { body } = await tenant.call('GET', document.path)
    expect(body.status).toBe('completed')
    expect(embedded()).toBe(body.chunk_count - paid.size)
  })

  test('a document that takes longer than one run of a Lambda is requeued, and no attempt is counted', async () => {
    const tenant = await stand.tenant()
    const { queue, sent } = keptQueue()
    const options = { chunkSize: size, callLimits: tens, concurrency: 1, queue }
    const document = await createDocument(tenant, paragraphs(60).join('\n\n'))
    const work = newWorker(stand, provider, options)
    let deliveries = 0
    for (; (await tenant.call('GET', document.path)).body.status !== 'completed'; deliveries++) {
      const calls = provider.calls.length
      // Time for two calls.
      const { batchItemFailures } = await work([document], () => (provider.calls.length < calls + 2 ? 110_000 : 20_000))
      expect(batchItemFailures).toEqual([])
      expect(await attempts(document)).toMatchObject({ attempt: 0, retry_count: 0 })
    }
    const { body } = await tenant.call('GET', document.path)
    expect(deliveries).toBeGreaterThanOrEqual(3)
    expect(sent).toEqual(Array(deliveries - 1).fill({ id: document.id, delaySeconds: 0 }))
    expect(provider.calls).toHaveLength(Math.ceil(body.chunk_count / 10))
  })

  test('a document whose last call ends just before time is up completes', async () => {
    const { tenant, document } = await newDocument(stand, 'Short.')
    const { queue, sent } = keptQueue()
    await newWorker(stand, provider, { queue })([document], () => (provider.calls.length === 0 ? 110_000 : 15_000))
    expect((await tenant.call('GET', document.path)).body.status).toBe('completed')
    expect(sent).toEqual([])
  })

  test('a call still in flight when time is up is cancelled, and the document requeued', async () => {
    const { document } = await newDocument(stand, 'Short.')
    const { queue, sent } = keptQueue()
    provider.script(['hang'])
    const looks = [10_050, 110_000]
    await newWorker(stand, provider, { queue, timeoutSeconds: 60 })([document], () => looks.shift() ?? 110_000)
    expect(sent).toEqual([{ id: document.id, delaySeconds: 0 }])
    expect(await attempts(document)).toEqual({ status: 'pending', attempt: 0, retry_count: 0 })
  })

  async function attempts({ id }: { id: string }) {
    const found = sql`select status, attempt, retry_count from documents where id = ${id}`
    return (await found.execute(stand.db)).rows[0]
  }

  async function storedVectors(documentId: string): Promise<number[]> {
    const { rows } = await sql<{ chunk_index: number }>`
      select chunk_index from chunks where document_id = ${documentId} and vector_id is not null`.execute(stand.db)
    return rows.map((row) => row.chunk_index)
  }
})

describe('a call', () => {
  const missing = (tokens: number, context = ''): Missing => ({
    vectorId: '',
    text: `${context}x`,
    chunks: [{ chunk_index: 0, content: 'x', token_count: tokens, metadata: { headings: [], start: 0, end: 1 } }],
  })

  test('holds as many texts as the limits of inputs and tokens allow', () => {
    const sizes = (texts: Missing[]) => batches(texts, { inputs: 4, tokens: 1000 }).map((call) => call.length)
    expect(sizes(Array(9).fill(missing(10)))).toEqual([4, 4, 1])
    expect(sizes(Array(5).fill(missing(400)))).toEqual([2, 2, 1])
    expect(sizes([missing(2000), missing(1), missing(2000)])).toEqual([1, 1, 1])
    expect(sizes([])).toEqual([])
  })

  test('counts title and headings, a byte a token', () => {
    const texts = Array(4).fill(missing(100, `${'一'.repeat(50)} > ${'b'.repeat(90)}\n\n`))
    expect(batches(texts, { inputs: 10, tokens: 700 }).map((call) => call.length)).toEqual([2, 2])
  })

  test('shares one limit of calls in flight with all documents of a batch', async () => {
    const tenant = await stand.tenant()
    const text = paragraphs(20).join('\n\n')
    const documents = await Promise.all(['', ' b', ' c'].map((more) => createDocument(tenant, `${text}${more}`)))
    const callLimits = { inputs: 4, tokens: 100_000 }
    const { promise: threeWait, resolve } = Promise.withResolvers<void>()
    provider.script([], async () => {
      if (provider.maxInFlight === 3) resolve()
      await threeWait
      return 'ok' as const
    })
    await newWorker(stand, provider, { chunkSize: size, callLimits, concurrency: 3 })(documents)
    expect(provider.calls.length).toBeGreaterThan(10)
    expect(provider.maxInFlight).toBe(3)
  })

  test('of a small document does not wait for all calls of a large one', async () => {
    const tenant = await stand.tenant()
    const large = await createDocument(tenant, paragraphs(100).join('\n\n'))
    const small = await createDocument(tenant, 'A small one.')
    const callLimits = { inputs: 5, tokens: 100_000 }
    await newWorker(stand, provider, { chunkSize: size, callLimits, concurrency: 2 })([large, small])
    const turn = provider.calls.findIndex((call) => call.texts.map(contentOf).includes('A small one.'))
    expect(turn).toBeGreaterThanOrEqual(0)
    expect(turn).toBeLessThan(provider.calls.length / 2)
  })
})

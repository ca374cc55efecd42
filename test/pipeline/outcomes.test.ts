import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { documentsApp } from '../../functions/documents/app.ts'
import type { Embedder } from '../../shared/embedding/embedder.ts'
import type { Queue } from '../../shared/work/outbox.ts'
import { statements, useFaultyConnection } from '../support/database/faulty-connection.ts'
import { createDocument, expireLease, newDocument } from '../support/documents/documents.ts'
import { contentOf, useFakeProvider } from '../support/provider/fake-provider.ts'
import { poison, vectorOf } from '../support/provider/provider-responses.ts'
import { callerOf } from '../support/stand/app-caller.ts'
import { useStand } from '../support/stand/stand.ts'
import { unusedPresigner } from '../support/stand/unused-presigner.ts'
import { databaseAs, keptQueue, newWorker } from '../support/stand/worker.ts'

const provider = useFakeProvider()
const stand = useStand()
const connection = useFaultyConnection()

async function row(id: string) {
  const found = sql<{ status: string; error_code: string | null; waits: number }>`
    select status, error_code, attempt, retry_count, extract(epoch from next_attempt_at - now())::float8 as waits
    from documents where id = ${id}`
  return (await found.execute(stand.db)).rows[0]!
}

const makeDue = (id: string) => sql`update documents set next_attempt_at = now() where id = ${id}`.execute(stand.db)
const sentences = (count: number) =>
  Array.from({ length: count }, (_, i) => `Sentence number ${i} tells of one more thing.`)

describe('the queue', () => {
  test('gets one message after the commit of each request that makes work, and none for any other', async () => {
    const tenant = await stand.tenant()
    const { queue, sent } = keptQueue()
    const send = callerOf(
      documentsApp({ presigner: unusedPresigner, db: databaseAs('cuecard_documents'), queue }),
      tenant.apiKey,
    )
    const call = async (...request: Parameters<typeof send>) => {
      const { status, body } = await send(...request)
      return { status, id: body.id, messages: sent.splice(0).map((each) => each.id) }
    }
    const key = { 'idempotency-key': 'once' }
    const one = ['POST', tenant.knowledgeBase, { title: 'T', content: 'One.' }, key] as const
    const { id, messages } = await call(...one)
    const path = `${tenant.knowledgeBase}/${id}`
    expect(messages).toEqual([id])
    expect((await call(...one)).messages).toEqual([])
    expect((await call('POST', tenant.knowledgeBase, { title: 'No content' })).messages).toEqual([])
    for (const edit of [{ content: 'Two.' }, { status: 'pending' }])
      expect((await call('PATCH', path, edit)).messages).toEqual([id])
    for (const edit of [{ content: 'Two.' }, { title: 'Another' }])
      expect((await call('PATCH', path, edit)).messages).toEqual([])
    expect(await call('PATCH', path, { status: 'completed' })).toMatchObject({ status: 409, messages: [] })
    const late = await call('PATCH', path, { content: 'Three.' }, { 'if-match': '"0"' })
    expect(late).toMatchObject({ status: 412, messages: [] })
  })
})

describe('a text that the provider refuses', () => {
  test('ends in error in one attempt, and the message names the chunk and says what to do', async () => {
    const texts = sentences(20).with(13, `The 🚲 is ${poison} now.`)
    const { tenant, document } = await newDocument(stand, texts.join('\n\n'))
    expect(await newWorker(stand, provider)([document])).toEqual({ batchItemFailures: [] })
    const { body } = await tenant.call('GET', document.path)
    expect(body.status).toBe('error')
    expect(body.error_message).toBe(
      `Chunk 13 was rejected by the embedding provider: This text is not acceptable; edit the text around 'The 🚲 is ${poison} now.' and save.`,
    )
    expect(await row(document.id)).toMatchObject({ error_code: 'chunk_refused', attempt: 1 })
  })

  test('is found by halving the call, in few calls', async () => {
    const { document } = await newDocument(stand, sentences(64).with(41, poison).join('\n\n'))
    await newWorker(stand, provider, { chunkSize: { targetTokens: 12, overlapTokens: 0 } })([document])
    expect((await row(document.id)).error_code).toBe('chunk_refused')
    expect(provider.calls.length).toBeLessThanOrEqual(1 + 2 * Math.ceil(Math.log2(64)))
  })

  test('once corrected costs its own embedding and those of texts not reached before; the old revision is served until then', async () => {
    const { tenant, document } = await newDocument(stand, sentences(4).join('\n\n'))
    const work = newWorker(stand, provider)
    await work([document])
    await tenant.call('PATCH', document.path, { content: sentences(4).with(2, poison).join('\n\n') })
    await work([document])
    expect((await tenant.call('GET', document.path)).body).toMatchObject({ status: 'error', chunk_count: 4 })
    const everything = { embedding: [...vectorOf('q')], limit: 10 }
    const found = await tenant.call('POST', `${tenant.knowledgeBase}/search`, everything)
    expect(found.body.data.map((hit: { content: string }) => hit.content.trim()).sort()).toEqual(sentences(4))

    provider.calls.length = 0
    await tenant.call('PATCH', document.path, { content: sentences(4).with(2, 'Mended.').join('\n\n') })
    await work([document])
    expect((await tenant.call('GET', document.path)).body).toMatchObject({ status: 'completed', error_message: null })
    expect(provider.calls.flatMap((call) => call.texts.map((text) => contentOf(text).trim()))).toEqual(['Mended.'])
  })

  test('is quoted in whole characters', async () => {
    const family = '👩‍👩‍👧‍👦'
    const { tenant, document } = await newDocument(stand, `${poison} ${family.repeat(70)}`)
    await newWorker(stand, provider, { chunkSize: { targetTokens: 4000, overlapTokens: 0 } })([document])
    const { body } = await tenant.call('GET', document.path)
    expect(body.error_message).toContain(`'${poison} ${family.repeat(53)}…'`)
  })
})

describe('a provider in trouble', () => {
  const troubles = ['too_many_requests', 'gateway_timeout', 'zeros', 'break_off'] as const
  test.each(troubles)('makes the document wait, never fail (%s)', async (way) => {
    const { document } = await newDocument(stand, 'A text.')
    const { queue, sent } = keptQueue()
    const work = newWorker(stand, provider, { queue, random: () => 0.5 })
    provider.script([], way)
    for (let i = 0; i < 12; i++) {
      expect(await work([document])).toEqual({ batchItemFailures: [] })
      await makeDue(document.id)
    }
    expect(await row(document.id)).toMatchObject({ status: 'pending', attempt: 0, retry_count: 12 })
    expect(sent.map((each) => each.delaySeconds)).toEqual([2, 4, 8, 16, 32, 64, 128, 256, 450, 450, 450, 450])
    provider.script([])
    await work([document])
    expect((await row(document.id)).status).toBe('completed')
  })

  test('is not called again before its Retry-After, because of the row and the message’s delay', async () => {
    const { document } = await newDocument(stand, 'A text.')
    const { queue, sent } = keptQueue()
    const work = newWorker(stand, provider, { queue, random: () => 0 })
    provider.script(['retry_after'])
    await work([document])
    expect(sent).toEqual([{ id: document.id, delaySeconds: 40 }])
    expect((await row(document.id)).waits).toBeGreaterThan(30)
    await work([document])
    expect(provider.calls).toHaveLength(1)
  })

  test('that hangs is not called after three calls, and every document stays pending', async () => {
    const tenant = await stand.tenant()
    const documents = await Promise.all(Array.from({ length: 5 }, (_, i) => createDocument(tenant, `Text ${i}.`)))
    const { queue, sent } = keptQueue()
    provider.script([], 'hang')
    const work = newWorker(stand, provider, { queue, concurrency: 1, timeoutSeconds: 0.1 })
    expect(await work(documents)).toEqual({ batchItemFailures: [] })
    expect(provider.calls).toHaveLength(3)
    for (const { id } of documents)
      expect(await row(id)).toMatchObject({ status: 'pending', attempt: 0, retry_count: 1 })
    // These are the call for all, and one each for two of them; the second opened the breaker.
    expect(sent.filter((each) => each.delaySeconds >= 4)).toHaveLength(4)
  })
})

describe('a fault of ours', () => {
  test('is tried five times with the same message; then the document ends in error, and the message is a dead letter', async () => {
    const { tenant, document } = await newDocument(stand, 'A BUG is here.')
    const seconds: number[] = []
    const queue: Queue = {
      send: () => Promise.reject(new Error('nothing is to be sent')),
      changeVisibility: (_, afterSeconds) => Promise.resolve(void seconds.push(afterSeconds)),
    }
    const work = newWorker(stand, provider, { embedder: buggy, queue, random: () => 1 })
    for (let attempt = 1; attempt <= 5; attempt++) {
      expect((await row(document.id)).status).toBe('pending')
      expect(await work([document])).toEqual({ batchItemFailures: [{ itemIdentifier: document.id }] })
      if (attempt < 5) expect(await row(document.id)).toMatchObject({ status: 'pending', attempt })
      await makeDue(document.id)
    }
    expect(seconds).toEqual([8, 16, 32, 64, 128])
    expect(await row(document.id)).toMatchObject({ status: 'error', error_code: 'attempts_exhausted' })
    const { body } = await tenant.call('GET', document.path)
    expect(body.error_message).toMatch(/Set the status to pending to try again/)
    // The dead letter, redriven.
    expect(await work([document])).toEqual({ batchItemFailures: [] })
  })

  test('leaves the message in the queue even if its visibility cannot be changed', async () => {
    const { document } = await newDocument(stand, 'A BUG is here.')
    const queue: Queue = { ...keptQueue().queue, changeVisibility: () => Promise.reject(new Error('not allowed')) }
    const result = await newWorker(stand, provider, { embedder: buggy, queue })([document])
    expect(result).toEqual({ batchItemFailures: [{ itemIdentifier: document.id }] })
  })
})

test.each(['before', 'after'] as const)('when the database is lost %s the claim, it is repeated', async (when) => {
  const { document } = await newDocument(stand, 'A text.')
  connection.cut(when, statements.claim, 2)
  const work = newWorker(stand, provider)
  expect(await work([document])).toEqual({ batchItemFailures: [{ itemIdentifier: document.id }] })
  expect(provider.calls).toHaveLength(0)
  await expireLease(stand.db, document)
  await work([document])
  expect((await row(document.id)).status).toBe('completed')
})

test('a document of too many chunks ends in error before any call', async () => {
  const { tenant, document } = await newDocument(stand, 'ab '.repeat(10_050))
  await newWorker(stand, provider, { chunkSize: { targetTokens: 1, overlapTokens: 0 } })([document])
  const { body } = await tenant.call('GET', document.path)
  expect(body.status).toBe('error')
  expect(body.error_message).toMatch(/^The text makes \d+ chunks; a document may have 10000\. Split it/)
  expect(provider.calls).toHaveLength(0)
})

/** Fails on some texts with an unexpected error. */
const buggy: Embedder = {
  model: 'buggy',
  async embed(texts, options) {
    if (texts.some((text) => text.includes('BUG'))) throw new TypeError('undefined is not a function')
    const { openAiEmbedder } = await import('../../shared/embedding/openai-embedder.ts')
    const real = openAiEmbedder({ baseUrl: provider.baseUrl, model: 'fake', apiKey: () => 'k', timeoutSeconds: 5 })
    return await real.embed(texts, options)
  },
}

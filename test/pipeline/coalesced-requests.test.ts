import { neonConfig } from '@neondatabase/serverless'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Embedder } from '../../shared/embedding/embedder.ts'
import { dimensions } from '../../shared/embedding/vectors.ts'
import { statements, useFaultyConnection } from '../support/database/faulty-connection.ts'
import { strayRows } from '../support/database/stray-rows.ts'
import { createDocument, type TestDocument } from '../support/documents/documents.ts'
import { contentOf, useFakeProvider } from '../support/provider/fake-provider.ts'
import { poison, vectorOf } from '../support/provider/provider-responses.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'
import { keptQueue, newWorker } from '../support/stand/worker.ts'

const provider = useFakeProvider()
const stand = useStand()
const connection = useFaultyConnection()

// Counted in front of the faulty connection.
let requests: string[] = []
const send = neonConfig.fetchFunction
neonConfig.fetchFunction = (url: string, init: RequestInit) => {
  requests.push(String(init.body))
  return send(url, init)
}
const sentAs = (statement: RegExp) => requests.filter((body) => statement.test(body)).length

afterEach(async () => expect(await strayRows(stand.db)).toEqual([]))

const texts = ['First in line.', 'Second in line.', 'Third in line.']
const threeOf = (tenant: Tenant) => Promise.all(texts.map((text) => createDocument(tenant, text)))
async function state({ id }: TestDocument) {
  const found = sql`select status, attempt, retry_count, error_code, array(select trim(content) from chunks
    where document_id = d.id and revision <= d.active_revision order by chunk_index) as served
    from documents d where id = ${id}`
  return (await found.execute(stand.db)).rows[0]
}
const states = (documents: TestDocument[]) => Promise.all(documents.map(state))
const completed = texts.map((text) => ({ status: 'completed', served: [text] }))

describe('small documents of one delivery', () => {
  let tenant: Tenant
  let documents: TestDocument[]
  beforeEach(async () => {
    tenant = await stand.tenant()
    documents = await threeOf(tenant)
    requests = []
  })

  test('take one claim, one call and one commit together', async () => {
    expect(await newWorker(stand, provider)(documents)).toEqual({ batchItemFailures: [] })
    expect(await states(documents)).toMatchObject(completed)
    expect(provider.calls.map((call) => call.texts.map(contentOf).sort())).toEqual([texts])
    expect([sentAs(statements.claim), sentAs(statements.commit)]).toEqual([1, 1])
  })

  test('pay once for two messages', async () => {
    expect(await newWorker(stand, provider)([...documents, ...documents])).toEqual({ batchItemFailures: [] })
    expect(await states(documents)).toMatchObject(completed)
    expect(provider.calls.map((call) => call.texts.map(contentOf).sort())).toEqual([texts])
  })

  test('share nothing with another organization', async () => {
    const other = await createDocument(await stand.tenant(), 'Elsewhere.')
    requests = []
    await newWorker(stand, provider)([...documents, other])
    expect(await states(documents)).toMatchObject(completed)
    expect(await state(other)).toMatchObject({ status: 'completed', served: ['Elsewhere.'] })
    expect([sentAs(statements.claim), sentAs(statements.commit)]).toEqual([2, 2])
  })

  test('share calls up to the limits of one', async () => {
    await newWorker(stand, provider, { callLimits: { inputs: 2, tokens: 1000 } })(documents)
    await newWorker(stand, provider, { callLimits: { inputs: 9, tokens: `T\n\n${texts[0]}`.length } })([
      await createDocument(tenant, texts[0]!),
      await createDocument(tenant, texts[0]!),
    ])
    expect(provider.calls.map((call) => call.texts.length)).toEqual([2, 1, 1, 1])
  })

  const claimElsewhere = ({ id }: TestDocument) =>
    sql`update documents set attempt = 4, lease_token = gen_random_uuid() where id = ${id}`.execute(stand.db)
  const unserved = { status: 'pending', served: [] }
  const mine = { chunks: [{ content: 'Mine.', chunk_index: 0 }] }
  test.each<[string, (document: TestDocument) => Promise<unknown>, object | undefined]>([
    ['superseded', ({ path }) => tenant.call('PATCH', path, { content: 'Newer.' }), unserved],
    ['deleted', ({ path }) => tenant.call('DELETE', path), undefined],
    ['taken over by its client', ({ path }) => tenant.call('POST', `${path}/chunks`, mine), unserved],
    ['claimed by another worker', claimElsewhere, { status: 'processing', attempt: 4, served: [] }],
  ])('complete without the one that is %s just before the commit', async (_, interfere, left) => {
    connection.before(statements.commit, () => interfere(documents[1]!))
    expect(await newWorker(stand, provider)(documents)).toEqual({ batchItemFailures: [] })
    const [first, second, third] = await states(documents)
    expect([first, third]).toMatchObject([completed[0], completed[2]])
    expect([second]).toMatchObject([left])
    expect(sentAs(statements.commit)).toBe(1)
  })

  test('complete without the one whose text the provider rejects', async () => {
    const bad = await createDocument(tenant, `It is ${poison}.`)
    await newWorker(stand, provider)([documents[0]!, bad, documents[2]!])
    expect(await states([documents[0]!, bad, documents[2]!])).toMatchObject([
      completed[0],
      { status: 'error', error_code: 'chunk_refused', attempt: 1 },
      completed[2],
    ])
  })

  test('complete without the one that cannot be stored, which alone counts a failed attempt', async () => {
    const bad = await createDocument(tenant, 'It makes half a vector.')
    const batch = [documents[0]!, bad, documents[2]!]
    expect(await newWorker(stand, provider, { embedder: halving, queue: keptQueue().queue })(batch)).toEqual({
      batchItemFailures: [{ itemIdentifier: bad.id }],
    })
    expect(await states(batch)).toMatchObject([completed[0], { status: 'pending', attempt: 1 }, completed[2]])
  })

  test('wait together, each for its own time, when the provider sends Retry-After', async () => {
    const { queue, sent } = keptQueue()
    provider.script(['retry_after'])
    const random = [0.25, 0.5, 0.75].values()
    await newWorker(stand, provider, { queue, random: () => random.next().value! })(documents)
    expect(provider.calls).toHaveLength(1)
    expect(await states(documents)).toMatchObject(Array(3).fill({ status: 'pending', attempt: 0, retry_count: 1 }))
    expect(sent.map((each) => each.delaySeconds).sort()).toEqual([41, 42, 43])
  })

  const cuts = (['claim', 'commit'] as const).flatMap((name) => [['before', name] as const, ['after', name] as const])
  test.each(cuts)('complete though the connection is cut %s their shared %s and its repetition', async (when, name) => {
    connection.cut(when, statements[name], 2)
    expect(await newWorker(stand, provider)(documents)).toEqual({ batchItemFailures: [] })
    expect(connection.unmet).toBe(0)
    expect(await states(documents)).toMatchObject(completed)
    expect(provider.calls.flatMap((call) => call.texts.map(contentOf)).sort()).toEqual(texts)
  })
})

/** Returns half a vector, which Postgres rejects, for texts with these words. */
const halving: Embedder = {
  model: 'halving',
  embed: (texts) =>
    Promise.resolve(texts.map((text) => vectorOf(text).slice(0, text.includes('half a vector') ? 768 : dimensions))),
}

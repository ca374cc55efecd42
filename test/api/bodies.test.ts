import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toEvent } from '../../infra/local/gateway/event.ts'
import { lambdas } from '../../infra/wiring.ts'
import { fromBase64, toBase64, vectorFault } from '../../shared/embedding/vectors.ts'
import { createDocument } from '../support/documents/documents.ts'
import { axis } from '../support/provider/axis.ts'
import { type Answer, type Tenant, useStand } from '../support/stand/stand.ts'
import { isThorough } from '../support/tools/effort.ts'

const stand = useStand()

/** Any text that JSON can carry, sometimes with U+0000 or lone surrogates. */
const text = fc.oneof(
  { weight: 8, arbitrary: fc.string({ unit: 'grapheme', maxLength: 40 }) },
  { weight: 4, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('', ' ', '\u0000', 'a\ud800', '\udc00', '\u2028\ufeff', '\r\n\t', 'NaN', 'é', 'é'),
  },
)
const anything = fc.jsonValue({ maxDepth: 3 })
/** Mostly a value of the given kind, sometimes any other. */
const mostly = <T>(arbitrary: fc.Arbitrary<T>, weight = 5) =>
  fc.oneof({ weight, arbitrary }, { weight: 1, arbitrary: anything })
const names = fc.oneof(text, fc.constantFrom('__proto__', 'id', 'constructor'))
const extra = fc.oneof(
  { weight: 6, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: fc.dictionary(names, anything, { maxKeys: 3 }) },
)

/** Everything that the organization has, except its keys. */
async function snapshot({ organizationId }: Tenant) {
  const of = (table: 'documents' | 'chunks' | 'idempotency_keys') =>
    stand.db.selectFrom(table).selectAll().where('organization_id', '=', organizationId).orderBy('created_at').execute()
  return {
    documents: await of('documents'),
    chunks: await of('chunks'),
    idempotencyKeys: await of('idempotency_keys'),
    agents: await stand.db.selectFrom('agents').selectAll().where('organization_id', '=', organizationId).execute(),
  }
}

type Attempt = (send: () => Promise<Answer>, verify: (answer: Answer) => Promise<void>) => Promise<void>

/**
 * Tries random bodies with `check`, which sends each through `attempt`. That hands an accepted answer to `verify`, and expects of a
 * refusal that it is 400 or 422 and leaves every row as it was.
 */
async function forAny<T>(body: fc.Arbitrary<T>, check: (body: T, tenant: Tenant, attempt: Attempt) => Promise<void>) {
  const tenant = await stand.tenant()
  const count = { accepted: 0, refused: 0 }
  const attempt: Attempt = async (send, verify) => {
    const before = await snapshot(tenant)
    const answer = await send()
    if (answer.status < 300) {
      count.accepted++
      return verify(answer)
    }
    count.refused++
    expect([400, 422]).toContain(answer.status)
    expect(await snapshot(tenant)).toEqual(before)
  }
  const property = fc.asyncProperty(body, (each) => check(each, tenant, attempt))
  await fc.assert(property, { numRuns: isThorough ? 60 : 6 })
  // A few random bodies may all be of one kind.
  if (!isThorough) return
  expect(count.accepted).toBeGreaterThan(1)
  expect(count.refused).toBeGreaterThan(1)
}

const documentBody = fc.record({ title: mostly(text), content: mostly(text) }, { requiredKeys: [] })

describe('any body comes back identical, or is refused and changes nothing,', () => {
  test('on creating a document', () =>
    forAny(
      fc.tuple(documentBody, extra, fc.boolean()),
      async ([known, unknown, named], { call, knowledgeBase }, attempt) => {
        const headers = named ? { 'idempotency-key': crypto.randomUUID() } : undefined
        const send = () => call('POST', knowledgeBase, { ...known, ...unknown }, headers)
        await attempt(send, async (answer) => {
          expect(answer.status).toBe(201)
          expect(unknown).toEqual({})
          const { body: stored } = await call('GET', answer.headers.location!)
          expect(stored).toEqual(answer.body)
          expect(stored.title).toBe((known.title as string).trim())
          expect(stored.content).toBe(known.content ?? null)
          await call('DELETE', answer.headers.location!)
        })
      },
    ))

  test('with U+FEFF at the start of its texts', async () => {
    const tenant = await stand.tenant()
    const { call, knowledgeBase } = tenant
    const document = { title: 'T\ufeff\ufeffT', content: '\ufeff\ufeffOpen on Mondays.\ufeff' }
    const created = await call('POST', knowledgeBase, document)
    expect(created).toMatchObject({ status: 201, body: document })
    await stand.deliver()
    const path = `${knowledgeBase}/${created.body.id}`
    expect((await call('GET', path)).body).toMatchObject({ ...document, status: 'completed' })
    expect((await call('GET', knowledgeBase)).body.data).toMatchObject([document])
    expect((await call('GET', `${path}/chunks`)).body.data).toMatchObject([{ content: document.content }])
    const patched = { content: '\ufeffOpen on Tuesdays.' }
    expect((await call('PATCH', path, patched)).body).toMatchObject(patched)

    const empty = (await call('POST', knowledgeBase, { title: 'T' })).body.id
    const chunk = { content: '\ufeff', chunk_index: 0, metadata: { '\ufeffname': '\ufeffvalue', list: ['\ufeff'] } }
    const uploaded = await call('POST', `${knowledgeBase}/${empty}/chunks`, { chunks: [chunk] })
    expect(uploaded.body.data).toMatchObject([chunk])
    expect((await call('GET', `${knowledgeBase}/${empty}/chunks`)).body.data).toMatchObject([chunk])
    const hits = (await call('POST', `${knowledgeBase}/search`, { query: 'Open on Mondays?' })).body.data
    expect(hits).toMatchObject([{ content: document.content, document_title: document.title }])
  })

  test('with a byte order mark, which is not content, or in base64', async () => {
    const { apiKey, knowledgeBase } = await stand.tenant()
    const headers = { 'content-type': 'application/json', 'x-api-key': apiKey }
    const post = async (body: string, isBase64Encoded: boolean) => {
      const event = toEvent({ method: 'POST', url: knowledgeBase, headers, body: 'x' }, lambdas.documents.routes)!
      return await stand.send({ ...event, body, isBase64Encoded })
    }
    for (const text of ['{"title":"Öffnungszeiten"}', '\ufeff{"title":"Öffnungszeiten"}']) {
      const created = { status: 201, body: { title: 'Öffnungszeiten' } }
      expect(await post(text, false)).toMatchObject(created)
      expect(await post(Buffer.from(text).toString('base64'), true)).toMatchObject(created)
    }
    expect(await post('{"title":"\ud800"}', false)).toMatchObject({ status: 201, body: { title: '\ufffd' } })
    expect(await post(Buffer.from([0x22, 0xff, 0x22]).toString('base64'), true)).toMatchObject({ status: 400 })
  })

  test('on updating a document', () =>
    forAny(fc.tuple(documentBody, extra), async ([known, unknown], { call, knowledgeBase }, attempt) => {
      const { body: before, headers } = await call('POST', knowledgeBase, { title: 'T', content: 'text' })
      const send = () => call('PATCH', headers.location!, { ...known, ...unknown })
      await attempt(send, async (answer) => {
        expect(answer.status).toBe(200)
        const { body: stored } = await call('GET', headers.location!)
        expect(stored).toEqual(answer.body)
        expect(stored.title).toBe((known.title as string | undefined)?.trim() ?? before.title)
        expect(stored.content).toBe(known.content ?? before.content)
      })
    }))

  test('on uploading chunks', () => {
    const content = fc.oneof(fc.string({ unit: 'grapheme', minLength: 1 }), fc.string({ unit: 'binary', minLength: 1 }))
    const metadata = fc.dictionary(text, fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' }), { maxKeys: 6 })
    const chunk = fc.record(
      {
        content: mostly(content, 30),
        chunk_index: mostly(fc.nat({ max: 200 }), 30),
        token_count: mostly(fc.nat({ max: 1_000_000 }), 30),
        metadata: mostly(metadata, 30),
      },
      { requiredKeys: ['content', 'chunk_index'] },
    )
    const body = fc.tuple(fc.array(chunk, { minLength: 1, maxLength: 3 }), extra)
    return forAny(body, async ([chunks, unknown], tenant, attempt) => {
      const { path } = await createDocument(tenant)
      const send = () => tenant.call('POST', `${path}/chunks`, { chunks, ...unknown })
      await attempt(send, async (answer) => {
        expect(answer.status).toBe(201)
        const { body: page } = await tenant.call('GET', `${path}/chunks`)
        expect(page.data).toEqual(answer.body.data)
        const sent = JSON.parse(JSON.stringify(chunks)) as { chunk_index: number }[]
        const sorted = sent.toSorted((a, b) => a.chunk_index - b.chunk_index).map((one) => ({ metadata: {}, ...one }))
        expect(page.data).toMatchObject(sorted)
        expect(page.data.map((one: { metadata: object }) => one.metadata)).toEqual(
          sorted.map(({ metadata }) => metadata),
        )
      })
      await tenant.call('DELETE', path)
    })
  })

  test('on uploading an embedding, as numbers or base64, within the stored precision', () => {
    const number = fc.oneof(
      { weight: 4, arbitrary: fc.float({ noNaN: true, noDefaultInfinity: true, min: -100, max: 100 }) },
      { weight: 4, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true, min: -1, max: 1 }) },
      { weight: 1, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }) },
      { weight: 1, arbitrary: fc.constantFrom(0, -0, 1e-45, 1e-46, 5e-324, 3.4028234e38, 3.5e38, 0.1, 1 / 3) },
    )
    const numbers = fc.array(number, { minLength: 1, maxLength: 8 })
    return forAny(
      fc.tuple(numbers, fc.nat({ max: 1500 }), fc.boolean()),
      async ([some, at, isBase64], tenant, attempt) => {
        const vector = axis(-1).toSpliced(at, some.length, ...some)
        const embedding = isBase64 ? toBase64(Float32Array.from(vector)) : vector
        const { path } = await createDocument(tenant)
        const chunks = [{ content: 'c', chunk_index: 0, embedding }]
        await attempt(
          () => tenant.call('POST', `${path}/chunks`, { chunks }),
          async (answer) => {
            expect(vectorFault(vector)).toBeUndefined()
            expect(answer.body.data[0]).not.toHaveProperty('embedding')
            const { body: page } = await tenant.call('GET', `${path}/chunks?include=embedding`)
            const stored: number[] = page.data[0].embedding
            expect(stored.every((number, i) => isKept(number, vector[i]!, vector))).toBe(true)
            const { body: encoded } = await tenant.call('GET', `${path}/chunks?include=embedding&encoding=base64`)
            // JSON has no -0.
            const { vector: floats } = fromBase64(encoded.data[0].embedding) as { vector: Float32Array }
            expect([...floats].map((float) => float + 0)).toEqual([...Float32Array.from(stored)])
            await tenant.call('PATCH', path, { status: 'completed' })
            const found = await tenant.call('POST', `${tenant.knowledgeBase}/search`, { embedding, limit: 1 })
            expect(found.body.data[0].score).toBeGreaterThan(0.999)
          },
        )
        await tenant.call('DELETE', path)
      },
    )
  })
})

/** True if a stored number is within the promised distance of the sent one. */
function isKept(stored: number, sent: number, vector: number[]): boolean {
  const largest = vector.reduce((max, number) => Math.max(max, Math.abs(number)), 0)
  const roundedTwice = 1.001
  return Math.abs(stored - sent) <= roundedTwice * Math.max(Math.abs(sent) * 2 ** -11, largest * 2 ** -39)
}

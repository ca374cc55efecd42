import { describe, expect, test } from 'vitest'
import type { Embedder } from '../../shared/embedding/embedder.ts'
import { lexicalEmbedder } from '../../shared/embedding/lexical-embedder.ts'
import type { Hit } from '../../shared/retrieval/schemas.ts'
import { tenantWith } from '../support/documents/known-documents.ts'
import { storeServed } from '../support/documents/served-document.ts'
import { axis } from '../support/provider/axis.ts'
import { useFakeProvider } from '../support/provider/fake-provider.ts'
import { vectorOf } from '../support/provider/provider-responses.ts'
import { hangingEmbedder, newEmbedder, newSearch } from '../support/stand/new-search.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'
import { manualClock } from '../support/time/manual-clock.ts'

const provider = useFakeProvider()
const stand = useStand()

const unavailable = (retryAfter: string) => ({
  status: 503,
  headers: { 'retry-after': retryAfter },
  body: { code: 'temporarily_unavailable' },
})

const byMeaning = { query: 'a question', mode: 'semantic' }

describe('a search', () => {
  test('by keywords or by a vector does not call the provider', async () => {
    const tenant = await stand.tenant()
    await storeServed(stand.db, tenant, [{ vector: axis(1) }])
    const { search } = newSearch(provider)
    expect(await search(tenant, { query: 'a question', mode: 'keyword' })).toMatchObject({
      status: 200,
      body: { degraded: null },
    })
    for (const mode of [undefined, 'semantic', 'hybrid'])
      expect(await search(tenant, { query: 'a question', embedding: axis(1), mode })).toMatchObject({
        status: 200,
        body: { data: [{ scores: { semantic: 1 } }], degraded: null },
      })
    expect(await search(tenant, { embedding: axis(1) })).toMatchObject({
      status: 200,
      body: { data: [{ score: 1, scores: { semantic: 1, keyword: null } }], degraded: null },
    })
    expect(provider.calls).toEqual([])
  })

  test('compares with the vector of the query', async () => {
    const tenant = await stand.tenant()
    await storeServed(stand.db, tenant, [{ vector: vectorOf('a question') }, { vector: axis(1535) }])
    const { body } = await newSearch(provider).search(tenant, { ...byMeaning, min_score: 0.9 })
    expect(body.data).toMatchObject([{ score: expect.closeTo(1, 4), scores: { semantic: expect.closeTo(1, 4) } }])
  })

  test('with alternatives gives each chunk its best score over all hypotheses', async () => {
    const tenant = await tenantWith(stand, ['The Coit Tower is open.', 'Dogs are welcome.', 'Parking is free.'])
    const { search } = newSearch(provider, { embedder: lexicalEmbedder() })
    const heard = ['kommen toor', 'coit tower', 'are dogs welcome']
    const alone = await Promise.all(heard.map(async (query) => (await search(tenant, { query })).body))
    const { body } = await search(tenant, { query: heard[0], alternatives: heard.slice(1).concat(heard), limit: 2 })
    const contents = body.data.map(({ content }: Hit) => content)
    expect(contents.toSorted()).toEqual(['Dogs are welcome.', 'The Coit Tower is open.'])
    for (const { chunk_id, score } of body.data as Hit[]) {
      const scores = alone.flatMap(({ data }) => data.filter((hit: Hit) => hit.chunk_id === chunk_id))
      expect(score).toBe(Math.max(...scores.map((hit: Hit) => hit.score)))
    }
    expect(body.answerable).toBeGreaterThan(0.5)
  })

  test('uses the caller’s earlier turns that it is sent, and none by the id of the call', async () => {
    const monthly = 'The e-bike costs 200 euros for a month.'
    const tenant = await tenantWith(stand, [
      'The e-bike costs 30 euros a day.',
      monthly,
      'The helmet costs 9 euros for a month.',
    ])
    const { search } = newSearch(provider, { embedder: lexicalEmbedder() })
    const history = ['How much is an e-bike?']
    for (const mode of ['hybrid', 'keyword', 'semantic']) {
      const asked = { query: 'and for a month', mode }
      const without = (await search(tenant, asked)).body
      const call_id = `call ${mode}`
      const { body } = await search(tenant, { ...asked, history, call_id })
      expect(body.data[0].content, mode).toBe(monthly)
      expect(body).not.toEqual(without)
      expect((await search(tenant, { ...asked, history: [], call_id })).body).toEqual(without)
      expect((await search(tenant, { ...asked, call_id })).body).toEqual(without)
    }
    expect(await search(tenant, { query: 'and for a month', remember: false })).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/remember' }] },
    })
  })

  test('with a turn that repeats the previous one finds the same as without it', async () => {
    const tenant = await tenantWith(stand, ['Guests park behind the house.', 'Dogs are welcome behind the house.'])
    const { search } = newSearch(provider, { embedder: lexicalEmbedder() })
    const asked = { query: 'where do guests park' }
    expect((await search(tenant, { ...asked, history: [asked.query] })).body).toEqual(
      (await search(tenant, asked)).body,
    )
  })

  test('and a prefetch of a fragment use the vector of the fragment with its earlier turns', async () => {
    const tenant = await stand.tenant()
    const { search, prefetch } = newSearch(provider)
    const history = ['How much is an e-bike?']
    await prefetch(tenant, 'and monthly', undefined, history)
    await search(tenant, { query: 'and monthly', history })
    expect(provider.calls.map(({ texts }) => texts)).toEqual([['How much is an e-bike? and monthly']])
  })

  test('and a prefetch get the vectors of all hypotheses in one call, and request none twice', async () => {
    const tenant = await stand.tenant()
    const { search, prefetch } = newSearch(provider)
    await search(tenant, { query: 'one', alternatives: ['two', 'three', 'one'] })
    await search(tenant, { query: 'three', alternatives: ['one'] })
    await newSearch(provider).search(tenant, { query: 'two', alternatives: ['three'] })
    await prefetch(tenant, 'four', ['five', 'two'])
    await search(tenant, { query: 'five', alternatives: ['four'] })
    await search(tenant, { query: 'one', alternatives: ['six'] })
    expect(provider.calls.map(({ texts }) => texts)).toEqual([['one', 'two', 'three'], ['four', 'five'], ['six']])
  })

  test.each([
    { embedding: axis(1), alternatives: ['a'] },
    { query: 'a', alternatives: Array(10).fill('a') },
  ])('with alternatives but no query, or with too many, is 422', async (body) => {
    const { status, body: problem } = await newSearch(provider).search(await stand.tenant(), body)
    expect([status, problem.errors.map(({ pointer }: { pointer: string }) => pointer)]).toEqual([
      422,
      ['/alternatives'],
    ])
  })

  test.each(['hybrid', 'keyword', 'semantic'])(
    'in %s mode says how probably its first hit answers, and whether it found the answer',
    async (mode) => {
      const tenant = await stand.tenant()
      const { search } = newSearch(provider, { embedder: lexicalEmbedder() })
      expect((await search(tenant, { query: 'parking', mode })).body).toMatchObject({
        data: [],
        answerable: 0,
        status: 'nothing',
      })
      const knower = await tenantWith(stand, ['Parking is free.', 'We are closed on Sunday.', 'Bring your own towel.'])
      const [answered, other] = await Promise.all(
        ['is parking free', 'do you sell parrots'].map(async (query) => (await search(knower, { query, mode })).body),
      )
      expect(answered.answerable).toBeGreaterThan(0.8)
      expect(answered.status).toBe('found')
      expect(other.answerable).toBeLessThan(0.5)
      expect(other.status).toBe(other.answerable < 0.15 ? 'nothing' : 'uncertain')
      const unlike = { query: 'is parking free', mode, min_score: 1 }
      expect((await search(knower, unlike)).body).toMatchObject({ data: [], answerable: 0, status: 'nothing' })
      const byVector = (asked: Tenant) => search(asked, { embedding: axis(1) })
      expect((await byVector(tenant)).body).toMatchObject({ answerable: null, status: 'nothing' })
      expect((await byVector(knower)).body).toMatchObject({ answerable: null, status: 'uncertain' })
    },
  )

  test('with an embedder that needs no network stores no vector', async () => {
    const tenant = await stand.tenant()
    const { search, prefetch } = newSearch(provider, { embedder: lexicalEmbedder() })
    expect(await search(tenant)).toMatchObject({ status: 200, body: { degraded: null } })
    expect(await prefetch(tenant, 'a question')).toMatchObject({ status: 202 })
    const stored = stand.db
      .selectFrom('query_vectors')
      .select('key')
      .where('organization_id', '=', tenant.organizationId)
    expect(await stored.execute()).toEqual([])
  })

  test('of a missing agent never calls the provider', async () => {
    const [mine, other] = [await stand.tenant(), await stand.tenant()]
    const { search, prefetch } = newSearch(provider)
    const foreign = { ...mine, knowledgeBase: other.knowledgeBase }
    for (const mode of ['hybrid', 'semantic', 'keyword'])
      expect(await search(foreign, { query: 'a question', mode })).toMatchObject({
        status: 404,
        body: { code: 'agent_not_found' },
      })
    expect(await prefetch(foreign, 'a question')).toMatchObject({ status: 404, body: { code: 'agent_not_found' } })
    expect(provider.calls).toEqual([])
  })
})

describe('while the embedding provider hangs', () => {
  test('a semantic search is 503, soon without a call, and a search by vector still works', async () => {
    let now = 0
    const tenant = await stand.tenant()
    const breaking = newEmbedder(provider, () => now)
    // Divides the time-out while the provider hangs.
    let shortness = 10
    const embedder: Embedder = {
      ...breaking,
      embed: (texts, options) =>
        breaking.embed(texts, { ...options, timeoutSeconds: options!.timeoutSeconds! / shortness }),
    }
    const { search } = newSearch(provider, { embedder })
    provider.script([], 'hang')
    for (const retryAfter of ['5', '5', '5', '5'])
      expect(await search(tenant, byMeaning)).toMatchObject(unavailable(retryAfter))
    expect(provider.calls).toHaveLength(3)
    expect(await search(tenant, { embedding: axis(1) })).toMatchObject({ status: 200 })
    expect(await search(tenant, { query: 'a question' })).toMatchObject({ body: { degraded: 'keyword_only' } })
    expect(provider.calls).toHaveLength(3)
    now += 5_000
    expect(await search(tenant, byMeaning)).toMatchObject(unavailable('10'))
    expect(provider.calls).toHaveLength(4)
    now += 7_000
    expect(await search(tenant, byMeaning)).toMatchObject(unavailable('3'))
    now += 3_000
    shortness = 1
    provider.script([])
    expect(await newSearch(provider, { embedder }).search(tenant)).toMatchObject({ body: { degraded: null } })
    expect(await newSearch(provider, { embedder }).search(tenant)).toMatchObject({ body: { degraded: null } })
  })

  test('a short deadline does not shorten the provider’s time-out below two seconds', async () => {
    const tenant = await stand.tenant()
    const clock = manualClock()
    const limits: number[] = []
    const embedder = hangingEmbedder((timeoutSeconds) => {
      limits.push(timeoutSeconds)
      clock.advance(10_000)
    })
    const { search } = newSearch(provider, { clock, embedder })
    for (const deadline_ms of [3_000, 1_500])
      expect(await search(tenant, { query: 'a question', deadline_ms })).toMatchObject({
        status: 200,
        body: { degraded: 'keyword_only' },
      })
    expect(limits).toEqual([2.985, 2])
  })
})

describe('a query that the provider refuses', () => {
  test.each([400, 401, 403])('with %i affects only its caller', async (status) => {
    const [one, another] = [await stand.tenant(), await stand.tenant()]
    const { search, prefetch } = newSearch(provider)
    provider.script([], ({ texts }) => (texts.includes('DROP TABLE') ? { status, body: '{"error":"Blocked"}' } : 'ok'))
    const refused = {
      status: 422,
      body: { code: 'validation_failed', errors: [{ pointer: '/query', code: 'refused', detail: 'Blocked' }] },
    }
    for (const mode of ['hybrid', 'semantic']) {
      expect(await search(one, { query: 'DROP TABLE', mode })).toMatchObject(refused)
      expect(await search(another, { query: `${mode}?` })).toMatchObject({ status: 200, body: { degraded: null } })
    }
    expect(await prefetch(one, 'DROP TABLE')).toMatchObject(refused)
  })
})

describe('while the provider refuses our key', () => {
  test('Retry-After is the time until the next call', async () => {
    let now = 0
    const tenant = await stand.tenant()
    const { search, prefetch } = newSearch(provider, { embedder: newEmbedder(provider, () => now) })
    provider.script([], 'forbidden')
    expect(await search(tenant, byMeaning)).toMatchObject(unavailable('15'))
    now += 4_000
    expect(await search(tenant, byMeaning)).toMatchObject(unavailable('11'))
    expect(await prefetch(tenant, 'a question')).toMatchObject(unavailable('11'))
    for (const retryAfter of ['30', '60', '120', '240', '480', '600', '600']) {
      now += 600_000
      expect(await search(tenant, byMeaning)).toMatchObject(unavailable(retryAfter))
    }
    expect(provider.calls).toHaveLength(8 * 2)
  })

  test('Retry-After is the provider’s own, up to ten minutes', async () => {
    const tenant = await stand.tenant()
    provider.script(['retry_after', 'retry_in_an_hour', 'too_many_requests'])
    const { search } = newSearch(provider)
    for (const retryAfter of ['40', '600', '5'])
      expect(await search(tenant, byMeaning)).toMatchObject(unavailable(retryAfter))
  })
})

import { neonConfig } from '@neondatabase/serverless'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { hedging } from '../../shared/retrieval/query-vector/hedging.ts'
import { timeouts } from '../../shared/retrieval/timeouts.ts'
import { figuresOf } from '../support/logs/figures-of.ts'
import { type Line, useFakeProvider } from '../support/provider/fake-provider.ts'
import { hangingEmbedder, newEmbedder, newSearch } from '../support/stand/new-search.ts'
import { useStand } from '../support/stand/stand.ts'
import { manualClock } from '../support/time/manual-clock.ts'
import { isThorough } from '../support/tools/effort.ts'

const provider = useFakeProvider()
const stand = useStand()

/** Resolves when the provider has been called `count` times. The first calls are answered with `lines`, all others hang. */
function calledTimes(count: number, ...lines: Line[]): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  provider.script([], () => {
    if (provider.calls.length === count) resolve()
    return (lines.shift() as 'ok' | undefined) ?? 'hang'
  })
  return promise
}

/** An embedder that calls the provider once for a query, however slow it is. */
const unhedged = () => ({ ...newEmbedder(provider), mayHedge: () => false })

/** A database that never responds to matching statements, until they are aborted. */
let silenced: RegExp | undefined
let searches = 0
neonConfig.fetchFunction = (url: string, init: RequestInit) => {
  const body = String(init.body)
  if (/read_agent\(/.test(body)) searches++
  if (!silenced?.test(body)) return fetch(url, init)
  return new Promise((_, reject) => init.signal!.addEventListener('abort', () => reject(init.signal!.reason)))
}
afterEach(() => {
  silenced = undefined
  searches = 0
})
afterAll(() => {
  neonConfig.fetchFunction = undefined
})

describe('at its deadline', () => {
  test('each of many searches is answered by keywords while the provider hangs', async () => {
    const tenant = await stand.tenant()
    const clock = manualClock()
    const { search } = newSearch(provider, { clock, embedder: unhedged() })
    const count = isThorough ? 200 : 15
    await search(tenant, { query: 'q', mode: 'keyword' })
    const allCalled = calledTimes(count)
    const reported = await figuresOf(async () => {
      const searches = Array.from({ length: count }, (_, i) => search(tenant, { query: `q ${i}`, deadline_ms: 9_000 }))
      await allCalled
      clock.advance(9_000)
      for (const { status, body } of await Promise.all(searches))
        expect({ status, body }).toEqual({
          status: 200,
          body: { data: [], degraded: 'keyword_only', answerable: 0, status: 'nothing', value: null, dates: [] },
        })
    })
    expect(reported).toMatchObject({ SearchesDegraded: count, QueryVectorMisses: count })
  })

  test('a semantic search is 503, with Retry-After', async () => {
    const tenant = await stand.tenant()
    const clock = manualClock()
    const called = calledTimes(1)
    const search = newSearch(provider, { clock, embedder: unhedged() }).search(tenant, { query: 'q', mode: 'semantic' })
    await called
    clock.advance(3_000)
    expect(await search).toMatchObject({ status: 503, headers: { 'retry-after': '5' } })
  })

  test('time is reserved for the usual duration of the last statement', async () => {
    const tenant = await stand.tenant()
    const clock = manualClock()
    const called = Promise.withResolvers<number>()
    const { search } = newSearch(provider, { clock, embedder: hangingEmbedder(called.resolve) })
    const late = search(tenant, { query: 'q' })
    await called.promise
    clock.advance(2_994)
    let isAnswered = false
    void late.then(() => {
      isAnswered = true
    })
    await search(tenant, { query: 'q', mode: 'keyword' })
    expect(isAnswered).toBe(false)
    clock.advance(1)
    expect(await late).toMatchObject({ status: 200, body: { degraded: 'keyword_only' } })
  })

  test('a search that waits for the database gets a little longer, and then 503', async () => {
    const tenant = await stand.tenant()
    const { search } = newSearch(provider, { limits: { ...timeouts, graceMilliseconds: 0 } })
    await search(tenant, { query: 'q', mode: 'keyword' })
    silenced = /read_agent\(/
    for (const mode of ['hybrid', 'semantic', 'keyword'])
      expect(await search(tenant, { query: 'q', mode, deadline_ms: 50 })).toMatchObject({ status: 503 })
    expect(provider.calls).toEqual([])
    silenced = undefined
    // The deadline passes before the provider is called.
    let now = 0
    const clock = { ...manualClock(), now: () => (now += 60) }
    expect(await newSearch(provider, { clock }).search(tenant, { query: 'q', deadline_ms: 50 })).toMatchObject({
      status: 200,
      body: { degraded: 'keyword_only' },
    })
    expect(provider.calls).toEqual([])
  })

  test('a search whose last statement takes too long is answered by keywords', async () => {
    const tenant = await stand.tenant()
    const clock = manualClock()
    provider.script([], () => {
      clock.advance(2_980)
      return 'ok'
    })
    // Stores the query's vector, in one batch with the last statement.
    silenced = /insert into query_vectors/
    const { search } = newSearch(provider, { clock, embedder: unhedged() })
    expect(await search(tenant)).toMatchObject({ status: 200, body: { degraded: 'keyword_only' } })
    // Without the first statement there would be nothing to answer.
    expect(searches).toBe(2)
  })
})

describe('a slow call of the provider', () => {
  test('is hedged once, and the first answer is used', async () => {
    const tenant = await stand.tenant()
    const clock = manualClock()
    const { search } = newSearch(provider, { clock })
    const reported = await figuresOf(async () => {
      const called = calledTimes(1, 'hang', 'ok')
      const answer = search(tenant)
      await called
      clock.advance(500)
      expect(await answer).toMatchObject({ status: 200, body: { degraded: null } })
    })
    expect(provider.calls).toHaveLength(2)
    expect(reported).toMatchObject({ ProviderHedges: 1 })
    expect(reported).not.toHaveProperty('ProviderErrors')
  })

  test('is not hedged a second time', async () => {
    const tenant = await stand.tenant()
    const clock = manualClock()
    const [first, second] = [calledTimes(1), Promise.withResolvers<void>()]
    const answer = newSearch(provider, { clock }).search(tenant)
    await first
    provider.script([], () => {
      second.resolve()
      return 'hang'
    })
    clock.advance(500)
    await second.promise
    clock.advance(2_500)
    expect(await answer).toMatchObject({ status: 200, body: { degraded: 'keyword_only' } })
    expect(provider.calls).toHaveLength(2)
  })

  test('is not hedged while it probes whether the provider works again', async () => {
    let now = 0
    const tenant = await stand.tenant()
    const clock = manualClock()
    const { search } = newSearch(provider, { clock, embedder: newEmbedder(provider, () => now) })
    provider.script([], 'forbidden')
    await search(tenant)
    const before = provider.calls.length
    now += 15_000
    const reported = await figuresOf(async () => {
      const called = calledTimes(before + 1)
      const answer = search(tenant)
      await called
      clock.advance(3_000)
      expect(await answer).toMatchObject({ status: 200, body: { degraded: 'keyword_only' } })
    })
    expect(reported).not.toHaveProperty('ProviderHedges')
    expect(provider.calls).toHaveLength(before + 1)
  })

  test('that fails is not hedged, and the failure is the answer', async () => {
    const clock = manualClock()
    let begun = 0
    const fail = () => {
      begun++
      return Promise.reject(new Error('away'))
    }
    await expect(hedging(clock)(fail, () => true)).rejects.toThrow('away')
    clock.advance(10_000)
    expect(begun).toBe(1)
  })

  test('is aborted when the other has answered', async () => {
    const clock = manualClock()
    const signals: AbortSignal[] = []
    const answer = hedging(clock)(
      (signal, isHedge) => {
        signals.push(signal)
        return isHedge ? Promise.resolve('here') : new Promise(() => {})
      },
      () => true,
    )
    expect(signals.map(({ aborted }) => aborted)).toEqual([false])
    clock.advance(500)
    await answer
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true])
  })

  test('that fails after the second began leaves the answer to the second', async () => {
    const clock = manualClock()
    const calls = [Promise.withResolvers<string>(), Promise.withResolvers<string>()]
    let begun = 0
    const answer = hedging(clock)(
      () => calls[begun++]!.promise,
      () => true,
    )
    clock.advance(500)
    calls[0]!.reject(new Error('away'))
    calls[1]!.resolve('here')
    expect(await answer).toBe('here')
  })
})

test('a busy provider is called again for the next question', async () => {
  const tenant = await stand.tenant()
  const { search } = newSearch(provider)
  provider.script(Array(6).fill('too_many_requests'))
  const degraded = { status: 200, body: { degraded: 'keyword_only' } }
  for (let i = 0; i < 6; i++) expect(await search(tenant, { query: `q ${i}` })).toMatchObject(degraded)
  expect(await search(tenant, { query: 'q' })).toMatchObject({ status: 200, body: { degraded: null } })
})

describe('Server-Timing', () => {
  test('has the time that the query’s vector took', async () => {
    const tenant = await stand.tenant()
    const clock = manualClock()
    const { search, prefetch } = newSearch(provider, { clock })
    provider.script([], () => {
      clock.advance(41.26)
      return 'ok'
    })
    const timing = ['embed;dur=41.3, db;dur=0.0', 'embed;dur=0.0, db;dur=0.0']
    for (const expected of timing) expect((await search(tenant)).headers['server-timing']).toBe(expected)
    for (const expected of timing) expect((await prefetch(tenant, 'w')).headers['server-timing']).toBe(expected)
  })

  test('is on errors too', async () => {
    const tenant = await stand.tenant()
    const { search } = newSearch(provider)
    const pattern = /^embed;dur=\d+\.\d, db;dur=\d+\.\d$/
    const failed = [
      await search({ ...tenant, apiKey: 'cue_unknown' }),
      await search(tenant, {}),
      await search({ ...tenant, knowledgeBase: '/v1/agents/x/knowledge-base' }),
    ]
    expect(failed.map(({ status }) => status)).toEqual([401, 422, 400])
    for (const { headers } of failed) expect(headers['server-timing']).toMatch(pattern)
  })
})

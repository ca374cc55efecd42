import { describe, expect, test } from 'vitest'
import { requestMeters } from '../../shared/http/request-meter.ts'
import type { OrganizationId } from '../../shared/ids.ts'
import { useFakeProvider } from '../support/provider/fake-provider.ts'
import { newSearch } from '../support/stand/own-search.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'
import { limit } from '../support/stand/tenant.ts'
import { databaseAs, newWorker } from '../support/stand/worker.ts'

const provider = useFakeProvider()
const stand = useStand()

async function limited(tokens_per_day: number): Promise<Tenant> {
  const tenant = await stand.tenant()
  await limit(stand.db, tenant.organizationId, { tokens_per_day })
  return tenant
}

const text = (words: number) => Array.from({ length: words }, (_, i) => `word${i}.`).join(' ')

async function create(tenant: Tenant, content = text(20)) {
  const { body } = await tenant.call('POST', tenant.knowledgeBase, { title: 'T', content })
  return {
    id: body.id as string,
    organizationId: tenant.organizationId,
    read: async () => (await tenant.call('GET', `${tenant.knowledgeBase}/${body.id}`)).body,
    patch: async (change: object) => (await tenant.call('PATCH', `${tenant.knowledgeBase}/${body.id}`, change)).body,
  }
}

const tokensToday = async (tenant: Tenant): Promise<number> =>
  (await tenant.call('GET', '/v1/organization/usage')).body.use.tokens_today

describe('a question past the tokens of the day', () => {
  async function used() {
    const tenant = await limited(1000)
    const document = await create(tenant, 'The gate code is 4711.')
    await newWorker(stand, provider)([document])
    await limit(stand.db, tenant.organizationId, { tokens_per_day: 0 })
    return { tenant, ...newSearch(provider) }
  }

  test('is answered by its words, and the provider is not asked', async () => {
    const { tenant, search } = await used()
    const before = provider.calls.length
    const { status, body } = await search(tenant, { query: 'gate code' })
    expect({ status, degraded: body.degraded }).toEqual({ status: 200, degraded: 'keyword_only' })
    expect(body.data[0].content).toContain('4711')
    expect(provider.calls).toHaveLength(before)
  })

  test.each(['semantic search', 'prefetch'])('is 429 where it needs a vector: %s', async (what) => {
    const { tenant, search, prefetch } = await used()
    const query = 'gate code'
    const asked = what === 'prefetch' ? prefetch(tenant, query) : search(tenant, { query, mode: 'semantic' })
    const { status, body, headers } = await asked
    expect({ status, code: body.code }).toEqual({ status: 429, code: 'rate_limited' })
    expect(headers['ratelimit-policy']).toBe('"tokens";q=0;w=86400')
    const wait = Number(headers['retry-after'])
    expect(wait).toBeGreaterThan(0)
    expect(wait).toBeLessThanOrEqual(86_400)
    expect(headers.ratelimit).toBe(`"tokens";r=0;t=${wait}`)
  })

  test('is not past them for questions that the provider did not answer', async () => {
    const tenant = await limited(1000)
    const { search } = newSearch(provider)
    provider.script([], 'server_error')
    for (let i = 0; i < 5; i++)
      expect((await search(tenant, { query: `gate code ${i}` })).body.degraded).toBe('keyword_only')
    expect(await tokensToday(tenant)).toBe(0)
  })

  test('is asked for as soon as its limit is raised, also where nothing else is counted', async () => {
    const tenant = await limited(10)
    const id = tenant.organizationId as OrganizationId
    let milliseconds = 0
    const meter = requestMeters(databaseAs('cuecard_dashboard'), { now: () => milliseconds })(id)
    await meter.reserveTokens(20)
    await meter.finish(0)
    await expect(meter.reserveTokens(1)).rejects.toThrow('used up')
    await limit(stand.db, tenant.organizationId, { tokens_per_day: 1000 })
    milliseconds += 1000
    await meter.admit()
    await meter.reserveTokens(1)
  })

  test('is found by its vector if that is known', async () => {
    const tenant = await limited(1000)
    const { search } = newSearch(provider)
    await search(tenant, { query: 'gate code', mode: 'semantic' })
    await limit(stand.db, tenant.organizationId, { tokens_per_day: 0 })
    expect((await newSearch(provider).search(tenant, { query: 'Gate code?', mode: 'semantic' })).status).toBe(200)
  })
})

test('questions cost tokens, once for the same words', async () => {
  const tenant = await limited(1000)
  const { search } = newSearch(provider)
  await search(tenant, { query: 'x'.repeat(400), mode: 'semantic' })
  await search(tenant, { query: 'x'.repeat(400), mode: 'semantic' })
  expect(await tokensToday(tenant)).toBe(100)
})

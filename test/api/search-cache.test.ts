import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { storeServed } from '../support/documents/served-document.ts'
import { useFakeProvider } from '../support/provider/fake-provider.ts'
import { vectorOf } from '../support/provider/provider-responses.ts'
import { newEmbedder, newSearch } from '../support/stand/new-search.ts'
import { useStand } from '../support/stand/stand.ts'

const provider = useFakeProvider()
const stand = useStand()

/** Counts the provider's calls for these searches, alternately on the instance that asked first and on a new one. */
async function callsFor(...queries: string[]): Promise<number> {
  const tenant = await stand.tenant()
  const { search } = newSearch(provider)
  for (const query of queries)
    for (const each of [search, newSearch(provider).search])
      expect(await each(tenant, { query })).toMatchObject({ status: 200, body: { degraded: null } })
  return provider.calls.length
}

describe('a question that was asked before', () => {
  test.each([
    ['in the same words', ['Are you open?', 'Are you open?']],
    ['in another case, with other marks and spaces', ['Are you open?', ' are  YOU, open…', 'are\u3000you open']],
    ['in wide letters', ['ABC', 'ＡＢＣ']],
    ['by its punctuation alone', ['?', '…']],
  ])('%s needs no call to the provider, on any instance', async (_, queries) => {
    expect(await callsFor(...queries)).toBe(1)
  })

  test.each([
    ['another number', ['At 1.50', 'At 1:50', 'At 150']],
    ['another name', ['C', 'C#', 'C++']],
    ['other words', ['where', 'were']],
  ])('differs from one with %s', async (_, queries) => {
    expect(await callsFor(...queries)).toBe(queries.length)
  })

  test('finds the same passages on any instance, with the same scores', async () => {
    const tenant = await stand.tenant()
    const near = vectorOf('a question').map((number, i) => number + (i % 7 ? 0 : 0.1))
    await storeServed(stand.db, tenant, [{ vector: vectorOf('another') }, { vector: near }])
    const { search } = newSearch(provider)
    const found = [await search(tenant), await search(tenant), await newSearch(provider).search(tenant)]
    const bodies = found.map(({ body }) => body)
    expect(bodies[0].data[0].score).toBeGreaterThan(0.5)
    expect(bodies[1]).toEqual(bodies[0])
    expect(bodies[2]).toEqual(bodies[0])
    await sql`delete from query_vectors where organization_id = ${tenant.organizationId}`.execute(stand.db)
    expect((await search(tenant)).body).toEqual(bodies[0])
    expect(provider.calls).toHaveLength(1)
  })

  test('is embedded again for another organization or model', async () => {
    const [mine, other] = [await stand.tenant(), await stand.tenant()]
    const { search } = newSearch(provider)
    await search(mine)
    await search(other)
    expect(provider.calls).toHaveLength(2)
    const embedder = { ...newEmbedder(provider), model: 'another' }
    await newSearch(provider, { embedder }).search(mine)
    expect(provider.calls).toHaveLength(3)
  })

  test('is not stored itself', async () => {
    const tenant = await stand.tenant()
    await newSearch(provider).search(tenant, { query: 'canary' })
    const { rows } = await sql<{ row: string }>`select q::text || encode(key, 'escape') as row from query_vectors q
      where organization_id = ${tenant.organizationId}`.execute(stand.db)
    expect(rows).toHaveLength(1)
    expect(rows[0]!.row).not.toContain('canary')
  })
})

test('a prefetch while the provider is down is 503, and changes nothing', async () => {
  const tenant = await stand.tenant()
  const { search, prefetch } = newSearch(provider)
  provider.script(['too_many_requests'])
  expect(await prefetch(tenant, 'Are you open')).toMatchObject({ status: 503, headers: { 'retry-after': '5' } })
  expect(await search(tenant, { query: 'Are you open' })).toMatchObject({ status: 200, body: { degraded: null } })
  expect(provider.calls).toHaveLength(2)
})

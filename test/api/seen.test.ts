import { beforeAll, describe, expect, test } from 'vitest'
import { lexicalEmbedder } from '../../shared/embedding/lexical-embedder.ts'
import type { Hit } from '../../shared/retrieval/schemas.ts'
import { tenantWith } from '../support/documents/known-documents.ts'
import { useFakeProvider } from '../support/provider/fake-provider.ts'
import { newSearch } from '../support/stand/new-search.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'

const provider = useFakeProvider()
const stand = useStand()
let search: ReturnType<typeof newSearch>['search']
beforeAll(() => {
  search = newSearch(provider, { embedder: lexicalEmbedder() }).search
})

const opens = 'The sauna opens at noon.'
const costs = 'The sauna costs twelve euros.'
const towels = 'Towels are free.'

const found = async (tenant: Tenant, body: object): Promise<Hit[]> => (await search(tenant, body)).body.data
const idsOf = (hits: Hit[]) => hits.map(({ chunk_id }) => chunk_id)
const contentsOf = (hits: Hit[]) => hits.map(({ content }) => content)

describe.each(['hybrid', 'keyword', 'semantic'])('in %s mode, a passage that the call was given', (mode) => {
  test('comes behind another that has as many of the question’s words, with the same score', async () => {
    const tenant = await tenantWith(stand, [opens, costs, towels])
    const asked = { query: 'tell me more about the sauna', mode }
    const [best, next, ...others] = await found(tenant, asked)
    expect(contentsOf([best!, next!]).toSorted()).toEqual([costs, opens])
    const seen = [best!.chunk_id.toUpperCase()]
    expect(await found(tenant, { ...asked, seen })).toEqual([next, best, ...others])
    expect(await found(tenant, { ...asked, seen, limit: 1 })).toEqual([next])
    expect(await found(tenant, { ...asked, seen: idsOf([best!, next!]) })).toEqual([best, next, ...others])
  })

  test('stays before those that have fewer of the question’s words', async () => {
    const tenant = await tenantWith(stand, [opens, costs, towels])
    const asked = { query: 'is the sauna open at noon', mode }
    const hits = await found(tenant, asked)
    expect(hits[0]!.content).toBe(opens)
    expect(await found(tenant, { ...asked, seen: idsOf(hits.slice(0, 1)) })).toEqual(hits)
  })
})

test('twelve given passages leave their places to all others that have the question’s words', async () => {
  const warm = Array.from({ length: 14 }, (_, i) => `The sauna ${'is warm '.repeat(i + 1)}.`)
  const tenant = await tenantWith(stand, [...warm, towels])
  const asked = { query: 'the sauna' }
  const hits = await found(tenant, { ...asked, limit: 50 })
  const seen = idsOf(hits.slice(0, 12))
  expect(idsOf(await found(tenant, { ...asked, seen, limit: 3 }))).toEqual([
    ...idsOf(hits.slice(12, 14)),
    hits[0]!.chunk_id,
  ])
})

test('a question of everyday words only, and a search by a vector, find the same whatever the call was given', async () => {
  const tenant = await tenantWith(stand, [opens, costs, towels])
  const { body } = await tenant.call('GET', `${tenant.knowledgeBase}?limit=1`)
  const chunks = await tenant.call('GET', `${tenant.knowledgeBase}/${body.data[0].id}/chunks?include=embedding`)
  for (const asked of [{ embedding: chunks.body.data[0].embedding }, { query: 'tell me more', mode: 'semantic' }]) {
    const hits = await found(tenant, asked)
    expect(hits.length).toBeGreaterThan(1)
    expect(await found(tenant, { ...asked, seen: idsOf(hits.slice(0, 1)) })).toEqual(hits)
  }
})

test('hypotheses with more words than one statement takes are ordered like others', async () => {
  const tenant = await tenantWith(stand, [opens, costs, towels])
  const many = (word: string) => `the sauna ${Array.from({ length: 20 }, (_, i) => `${word}${i}x`).join(' ')}`
  const asked = { query: many('steam'), alternatives: [many('bath'), many('pool')], mode: 'keyword' }
  const [best, next] = await found(tenant, asked)
  expect(await found(tenant, { ...asked, seen: [best!.chunk_id] })).toEqual([next, best])
})

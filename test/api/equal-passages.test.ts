import { beforeAll, describe, expect, test } from 'vitest'
import { lexicalEmbedder } from '../../shared/embedding/lexical-embedder.ts'
import type { Hit, Value } from '../../shared/retrieval/schemas.ts'
import { useStatementCount } from '../support/database/request-count.ts'
import { serveTexts } from '../support/documents/known-documents.ts'
import { useFakeProvider } from '../support/provider/fake-provider.ts'
import { newSearch } from '../support/stand/new-search.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'

const provider = useFakeProvider()
const stand = useStand()
const statementsOf = useStatementCount()
let search: ReturnType<typeof newSearch>['search']
beforeAll(() => {
  search = newSearch(provider, { embedder: lexicalEmbedder() }).search
})

const sauna = 'The sauna opens at noon.'
const others = [
  'The sauna costs twelve euros.',
  'The sauna has towels.',
  'The sauna is warm.',
  'Our sauna is closed on Monday.',
]

interface Found {
  data: Hit[]
  status: string
  value: Value | null
}

async function spa(documents: { title?: string; content: string }[]): Promise<{ tenant: Tenant; ids: string[] }> {
  const tenant = await stand.tenant()
  const ids = await serveTexts(
    stand,
    tenant,
    documents.map((document) => ({ title: 'Sauna', ...document })),
  )
  return { tenant, ids }
}

const find = async (tenant: Tenant, body: object): Promise<Found> => (await search(tenant, body)).body

describe.each(['hybrid', 'keyword', 'semantic'])('in %s mode, equal passages', (mode) => {
  test('are one hit, the newest served document’s, and others take their places', async () => {
    const copies = [sauna, sauna, `${sauna}\n`, sauna, sauna]
    const { tenant, ids } = await spa([...copies, ...others].map((content) => ({ content })))
    const asked = { query: 'when does the sauna open at noon', mode }
    const { data } = await find(tenant, { ...asked, limit: 5 })
    expect(data.map(({ content }) => content).toSorted()).toEqual([sauna, ...others].toSorted())
    expect(data[0]).toMatchObject({ content: sauna, document_id: ids[4] })
    await tenant.call('PATCH', `${tenant.knowledgeBase}/${ids[4]}`, { valid_until: '2020-01-01T00:00:00Z' })
    expect((await find(tenant, { ...asked, limit: 1 })).data[0]!.document_id).toBe(ids[3])
  })

  test('that are more than a search compares leave their places, too', async () => {
    const copies = Array.from({ length: 45 }, () => ({ content: sauna }))
    const { tenant } = await spa([...copies, ...others.map((content) => ({ content }))])
    const { data } = await find(tenant, { query: 'when does the sauna open at noon', mode, limit: 4 })
    expect(new Set(data.map(({ content }) => content)).size).toBe(4)
  })
})

test('a search without equal passages is one statement', async () => {
  const { tenant } = await spa(Array.from({ length: 14 }, (_, i) => ({ content: `The sauna number ${i} is warm.` })))
  await find(tenant, { query: 'the sauna' })
  const asked = { query: 'the warm sauna', limit: 10 }
  expect(await statementsOf(async () => expect((await find(tenant, asked)).data.length).toBe(10))).toEqual([1])
})

test('of equal passages that whose title has more of the question’s words is the hit', async () => {
  const content = 'Open from nine to five.'
  const { tenant } = await spa([
    { title: 'Linz', content },
    { title: 'Graz', content },
    { title: 'Wien', content },
  ])
  const { data } = await find(tenant, { query: 'when is the shop in Linz open' })
  expect(data.map(({ document_title }) => document_title)).toEqual(['Linz'])
})

test('a value is of the hit that is returned', async () => {
  const content = '| Sauna | Price |\n|---|---|\n| Adults | 12 € |\n| Children | 7 € |'
  const { tenant, ids } = await spa([{ content }, { content }, { content: sauna }])
  const { data, value } = await find(tenant, { query: 'how much is the sauna for children' })
  expect(value).toMatchObject({ text: '7 €', chunk_id: data[0]!.chunk_id })
  expect(data[0]!.document_id).toBe(ids[1])
})

test('a copy of a passage that the call was given comes behind others, too', async () => {
  const { tenant } = await spa([sauna, others[0]!].map((content) => ({ content })))
  const [first] = (await find(tenant, { query: 'noon sauna', limit: 1 })).data
  expect(first!.content).toBe(sauna)
  await tenant.call('POST', tenant.knowledgeBase, { title: 'Sauna', content: sauna })
  await stand.deliver()
  const { data } = await find(tenant, { query: 'tell me more about the sauna', seen: [first!.chunk_id] })
  expect(data.map(({ content }) => content)).toEqual([others[0], sauna])
})

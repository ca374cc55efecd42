import { beforeAll, describe, expect, test } from 'vitest'
import { serveChunks } from '../support/documents/documents.ts'
import { axis } from '../support/provider/axis.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'

const stand = useStand()

interface Hit {
  document_id: string
  document_title: string
  chunk_index: number
  content: string
  score: number
  scores: { semantic: number | null; keyword: number | null }
}

/** Serves a document with a chunk for each text. @returns its path */
async function serve(tenant: Tenant, texts: string[], { title = 'T', metadata = {}, isEmbedded = true } = {}) {
  const chunks = texts.map((content, chunk_index) => ({
    content,
    metadata: { ...metadata, chunk_index },
    ...((isEmbedded || chunk_index > 0) && { embedding: axis(chunk_index + 1) }),
  }))
  return (await serveChunks(tenant, chunks, title)).path
}

async function search(tenant: Tenant, query: string, more: object = {}): Promise<Hit[]> {
  const sent = { query, mode: 'keyword', ...more }
  const { status, body } = await tenant.call('POST', `${tenant.knowledgeBase}/search`, sent)
  expect(status).toBe(200)
  return body.data
}
const contents = async (...of: Parameters<typeof search>) => (await search(...of)).map((hit) => hit.content)
const first = async (...of: Parameters<typeof search>) => (await contents(...of))[0]

const priceList = '| Part | What | Price |\n|---|---|---|\n| K-4471 | Seal | 3.90 |\n| QX-4474-B | Hose | 24,90 |'
const shop = [
  priceList,
  'Opening hours: Monday to Friday 9:30 to 18:00. On Saturday until 14:00.',
  'Please park behind the house. Four spaces are ours.',
  'Ask for Frau Wiśniewski or Herrn Kowalski. Part numbers such as K-4471 are on the machine.',
  'Waschmaschinen reparieren wir am selben Tag. Prices begin at 40 Euro.',
  '保証期間は二年です。修理は田中さんが担当します。',
]

describe('keyword search', () => {
  let tenant: Tenant
  beforeAll(async () => {
    tenant = await stand.tenant()
    await serve(tenant, shop)
  })

  test.each([
    ['a code as it is written', 'K-4471', 0],
    ['a code without its hyphen', 'k4471', 0],
    ['a code with a space', 'k 4471', 0],
    ['the digits of a code', 'the one with 4471', 0],
    ['the end of a code', 'hose 4474 b', 0],
    ['a code as it is spoken', 'i need the k double four seven one please', 0],
    ['a code in pairs of digits', 'part kay forty four seventy one', 0],
    ['a price as it is spoken', 'what is twenty four ninety', 0],
    ['a time as it is spoken', 'are you there at half past nine', 1],
    ['an inflected word', 'where can i park my car', 2],
    ['a name without its marks', 'wisniewski', 3],
    ['a name as it was heard', 'is mister kovalsky in', 3],
    ['a verb and a noun in other forms', 'repariert ihr waschmaschine', 4],
    ['a word in a script without spaces', '保証期間はどのくらいですか', 5],
    ['a name before a particle', '田中さんはいますか', 5],
    ['its words among fillers', 'um yeah hi i was wondering like opening hours on saturday please', 1],
    ['one word among 8,000 characters', `kowalski ${'weit '.repeat(1590)}`, 3],
  ])('finds a chunk by %s', async (_, query, index) => {
    expect(await first(tenant, query)).toBe(shop[index])
  })

  test('ranks a table row that begins with a code above a text that mentions it', async () => {
    expect(await contents(tenant, 'k 4471')).toEqual([shop[0], shop[3]])
  })

  test('finds nothing for a question of stop words, or of words that no chunk has', async () => {
    expect(await contents(tenant, 'do you have any of this')).toEqual([])
    expect(await contents(tenant, 'photovoltaik')).toEqual([])
  })
})

describe('a score', () => {
  test('lies between 0 and 1, grows with the words that a chunk has, and is shown as the keyword arm’s', async () => {
    const tenant = await stand.tenant()
    await serve(tenant, ['red bicycle lamp', 'red bicycle', 'red'])
    const hits = await search(tenant, 'red bicycle lamp')
    expect(hits.map((hit) => hit.chunk_index)).toEqual([0, 1, 2])
    for (const { score, scores } of hits) expect(scores).toEqual({ semantic: null, keyword: score })
    expect(hits[0]!.score).toBeLessThanOrEqual(1)
    expect(hits[2]!.score).toBeGreaterThan(0)
  })

  test('weighs a word by its rarity among the agent’s own chunks only', async () => {
    const [tenant, other] = [await stand.tenant(), await stand.tenant()]
    const texts = ['lamp', 'bell', ...Array.from({ length: 6 }, (_, i) => `bell number${i}`)]
    await serve(tenant, texts)
    const before = await search(tenant, 'lamp and bell')
    expect(before[0]!.content).toBe('lamp')
    await serve(other, Array(20).fill('lamp'))
    expect(await search(tenant, 'lamp and bell')).toEqual(before)
  })

  test('below min_score excludes its chunk', async () => {
    const tenant = await stand.tenant()
    await serve(tenant, ['red bicycle lamp', 'red bicycle', 'red'])
    const hits = await search(tenant, 'red bicycle lamp')
    expect(await search(tenant, 'red bicycle lamp', { min_score: hits[1]!.score })).toEqual(hits.slice(0, 2))
  })

  test('that is equal leaves the order to the ids of documents and the indexes of chunks', async () => {
    const tenant = await stand.tenant()
    await serve(tenant, ['same words', 'same words'])
    await serve(tenant, ['same words'])
    const hits = await search(tenant, 'words')
    const keys = hits.map((hit) => `${hit.document_id} ${hit.chunk_index}`)
    expect(keys).toEqual(keys.toSorted())
    expect(new Set(hits.map((hit) => hit.score)).size).toBe(1)
  })
})

describe('among chunks that have the words', () => {
  test('only those with the filter’s metadata or documents are found', async () => {
    const tenant = await stand.tenant()
    const path = await serve(tenant, ['lamp one', 'lamp two'], { metadata: { page: 1 } })
    await serve(tenant, ['lamp three'], { metadata: { page: 2 } })
    expect(await contents(tenant, 'lamp', { metadata: { page: 2 } })).toEqual(['lamp three'])
    expect(await contents(tenant, 'lamp', { metadata: { chunk_index: 1 } })).toEqual(['lamp two'])
    expect(await contents(tenant, 'lamp', { document_ids: [path.split('/').at(-1)] })).toEqual(['lamp one', 'lamp two'])
  })

  test('those without an embedding are not found', async () => {
    const tenant = await stand.tenant()
    await serve(tenant, ['lamp one', 'lamp two'], { isEmbedded: false })
    expect(await contents(tenant, 'lamp')).toEqual(['lamp two'])
  })

  test('those of a draft are found once it is completed, and the chunks it replaces until then', async () => {
    const tenant = await stand.tenant()
    const { body } = await tenant.call('POST', tenant.knowledgeBase, { title: 'T', content: 'The old lamp.' })
    await stand.deliver()
    const path = `${tenant.knowledgeBase}/${body.id}`
    const chunks = [{ content: 'The new lamp.', chunk_index: 0, embedding: axis(1) }]
    await tenant.call('POST', `${path}/chunks`, { chunks })
    expect(await contents(tenant, 'lamp')).toEqual(['The old lamp.'])
    await tenant.call('PATCH', path, { status: 'completed' })
    expect(await contents(tenant, 'lamp')).toEqual(['The new lamp.'])
    await tenant.call('DELETE', `${path}/chunks`)
    expect(await contents(tenant, 'lamp')).toEqual([])
  })

  test('those of a document with the words in its title come first, and a new title counts at once', async () => {
    const tenant = await stand.tenant()
    await serve(tenant, ['Prices begin at 10.'], { title: 'Workshop' })
    const path = await serve(tenant, ['Prices begin at 20.'], { title: 'Bicycle rental' })
    expect(await first(tenant, 'rental prices')).toBe('Prices begin at 20.')
    await tenant.call('PATCH', path, { title: 'Skis' })
    expect((await search(tenant, 'rental prices')).map((hit) => hit.document_title)).toEqual(['Workshop', 'Skis'])
    expect(await first(tenant, 'prices of skis')).toBe('Prices begin at 20.')
  })

  test('those of another agent are not found', async () => {
    const [tenant, other] = [await stand.tenant(), await stand.tenant()]
    await serve(other, ['lamp'])
    expect(await contents(tenant, 'lamp')).toEqual([])
  })
})

describe('both arms together', () => {
  const hybrid = { mode: 'hybrid' }

  test('find chunks that only one of them finds, and show each arm’s score', async () => {
    const tenant = await stand.tenant()
    await serve(tenant, ['lamp', 'something else'])
    const hits = await search(tenant, 'lamp', { ...hybrid, embedding: axis(2) })
    expect(hits.map((hit) => [hit.content, hit.scores.semantic, hit.scores.keyword !== null])).toEqual(
      expect.arrayContaining([
        ['lamp', 0, true],
        ['something else', 1, false],
      ]),
    )
    for (const { score } of hits) expect(score).toBeGreaterThan(0)
  })

  test('rank by the vector alone for a question of stop words', async () => {
    const tenant = await stand.tenant()
    await serve(tenant, ['lamp', 'something else'])
    const [hit] = await search(tenant, 'what is it', { ...hybrid, embedding: axis(2) })
    expect(hit).toMatchObject({ content: 'something else', scores: { semantic: 1, keyword: null } })
  })
})

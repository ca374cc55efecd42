import { expect, test } from 'vitest'
import { serveChunks } from '../support/documents/documents.ts'
import { axis } from '../support/provider/axis.ts'
import { useStand } from '../support/stand/stand.ts'

const stand = useStand()

/** Serves these passages, all equally near to the question by meaning. @returns their search */
async function searchOver(texts: string[]) {
  const tenant = await stand.tenant()
  await serveChunks(
    tenant,
    texts.map((content) => ({ content, embedding: axis(1) })),
  )
  return async (query: string, more: object = {}): Promise<{ content: string; score: number }[]> => {
    const request = { query, embedding: axis(1), mode: 'hybrid', limit: 50, ...more }
    return (await tenant.call('POST', `${tenant.knowledgeBase}/search`, request)).body.data
  }
}

const fillers = Array.from({ length: 12 }, (_, i) => `lamp bell${i} wheel`)

test.each([
  ['in the order of the question', 'brake cable', ['cable lamp brake', 'lamp brake cable']],
  ['that were heard as two', 'tele scope', ['the saddle is grey', 'the telescope is grey']],
  ['that were heard as one', 'doorbell', ['saddle lamp', 'door bell']],
  ['with another ending', 'indecomposability', ['saddle lamp', 'indecomposable lamp']],
])('of two passages that match equally, the one with words %s comes first', async (_, query, [other, right]) => {
  const search = await searchOver([other!, right!, ...fillers])
  const hits = await search(query)
  expect(hits[0]!.content).toBe(right)
  expect(hits[0]!.score).toBeGreaterThan(hits.find(({ content }) => content === other)!.score)
})

test('hits and scores do not depend on the limit', async () => {
  const texts = Array.from({ length: 15 }, (_, i) => `brake ${i < 9 ? 'lamp cable' : 'cable lamp'} number${i}`)
  const search = await searchOver(texts)
  const all = await search('brake cable')
  expect(all[0]!.content).toBe(texts[9])
  for (const limit of [1, 5, 10, 11]) expect(await search('brake cable', { limit })).toEqual(all.slice(0, limit))
})

test('a search by words only ignores runs of letters', async () => {
  const search = await searchOver(['cable lamp brake', 'lamp brake cable'])
  const [first, second] = await search('brake cable', { mode: 'keyword', embedding: undefined })
  expect(first!.score).toBe(second!.score)
})

test('a question of everyday words gains nothing from runs of letters', async () => {
  const search = await searchOver(['we are open today', 'lamp'])
  const hits = await search('what are you')
  expect(hits.map(({ score }) => score)).toEqual([hits[0]!.score, hits[0]!.score])
})

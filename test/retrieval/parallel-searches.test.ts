import { expect, test } from 'vitest'
import { Random } from '../simulation/random.ts'
import { serveChunks, type TestDocument } from '../support/documents/documents.ts'
import { axis } from '../support/provider/axis.ts'
import { useStand } from '../support/stand/stand.ts'
import { isOnServer, isThorough } from '../support/tools/effort.ts'

const stand = useStand()

/** PGlite runs statements one at a time, so fewer searches suffice there. */
const searches = isOnServer ? 1_000 : isThorough ? 400 : 80

interface Watched extends TestDocument {
  isServed: boolean
  /** Grows as a change begins and as it ends: it is odd in between. */
  changes: number
}

test(`${searches} searches, while documents come and go, find all chunks of a document or none, as it was last changed`, async () => {
  const random = new Random(9)
  const tenant = await stand.tenant()
  const { call, knowledgeBase } = tenant
  const chunksOf = (title: string) =>
    [1, 2, 3].map((i) => ({ content: `Part ${i} of ${title} is on sale.`, embedding: axis(i) }))
  const documents: Watched[] = []
  for (const title of ['apples', 'bells', 'chairs', 'drums', 'eggs'])
    documents.push({ ...(await serveChunks(tenant, chunksOf(title), title)), isServed: true, changes: 0 })
  let isOver = false
  let nextSearch = Promise.withResolvers<void>()
  const seen = { searches: 0, changes: 0, certain: 0, wrong: 0, mixed: 0 }

  async function search(body: object) {
    const before = documents.map(({ changes }) => changes)
    const { status, body: found } = await call('POST', `${knowledgeBase}/search`, { ...body, limit: 50 })
    expect(status).toBe(200)
    for (const [i, { id, isServed, changes }] of documents.entries()) {
      const hits = found.data.filter((hit: { document_id: string }) => hit.document_id === id).length
      if (hits !== 0 && hits !== 3) seen.mixed++
      if (changes !== before[i] || changes % 2 === 1) continue
      seen.certain++
      if (hits > 0 !== isServed) seen.wrong++
    }
    if (++seen.searches >= searches) isOver = true
    nextSearch.resolve()
    nextSearch = Promise.withResolvers()
  }

  const ways = [
    {
      hide: (path: string) => call('DELETE', `${path}?trash=true`),
      show: (path: string) => call('POST', `${path}/restore`),
    },
    {
      hide: (path: string) => call('PATCH', path, { valid_from: '2999-01-01T00:00:00Z' }),
      show: (path: string) => call('PATCH', path, { valid_from: null }),
    },
  ]

  async function comeAndGo(document: Watched) {
    const way = random.pick(ways)
    for (const act of [way.hide, way.show]) {
      document.changes++
      expect((await act(document.path)).status).toBeLessThan(300)
      document.isServed = act === way.show
      document.changes++
      seen.changes++
      // A change comes during the same searches as others, or some searches come between them.
      for (let rest = random.below(16); rest > 0 && !isOver; rest--) await nextSearch.promise
    }
  }

  const until = async (act: () => Promise<unknown>) => {
    while (!isOver) await act()
  }
  const byWords = { query: 'what is on sale', mode: 'keyword' }
  const byVector = { embedding: axis(2) }
  await Promise.all([
    ...[byWords, byVector, byWords, byVector].map((body) => until(() => search(body))),
    ...documents.slice(1).map((document) => until(() => comeAndGo(document))),
  ]).finally(() => {
    isOver = true
  })
  expect(seen).toMatchObject({ mixed: 0, wrong: 0 })
  expect(seen.changes).toBeGreaterThan(searches / 10)
  // More than those of the document that stays.
  expect(seen.certain).toBeGreaterThan(2 * searches)
  console.info('searches while documents come and go', seen)
}, 900_000)

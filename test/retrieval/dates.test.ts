import { beforeAll, describe, expect, test } from 'vitest'
import { lexicalEmbedder } from '../../shared/embedding/lexical-embedder.ts'
import type { DocumentId } from '../../shared/ids.ts'
import { soughtWords } from '../../shared/retrieval/explanation/sought-words.ts'
import type { FoundPassage } from '../../shared/retrieval/found.ts'
import { type Mode, searchModes } from '../../shared/retrieval/schemas.ts'
import { search } from '../../shared/retrieval/search.ts'
import { storeServed } from '../support/documents/served-document.ts'
import { axis } from '../support/provider/axis.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'
import { searchDatabaseOf as dbOf, scopeOf, tenantWith } from './knowledge.ts'

const stand = useStand()

const day = 86_400_000
const from = new Date(Date.now() + 30 * day).toISOString()
const until = new Date(Date.now() + 60 * day).toISOString()
const justBefore = (time: string) => new Date(Date.parse(time) - 1).toISOString()
const question = 'are you open at christmas'
const ordinary = ['We are open from 9 to 18.', 'Parking is free at Christmas, too.', 'Dogs are welcome.']
const dated = 'At Christmas we are closed.'

const tenantOf = (texts: string[]) => tenantWith(stand, ...texts.map((content) => ({ title: 'Leaflet', content })))

async function setDates({ call, knowledgeBase }: Tenant, id: string, valid_from: string, valid_until: string) {
  expect((await call('PATCH', `${knowledgeBase}/${id}`, { valid_from, valid_until })).status).toBe(200)
}

async function hitsOf(tenant: Tenant, mode: Mode, as_of?: string, documents?: DocumentId[]) {
  const [vector] = await lexicalEmbedder().embed([question], { of: 'query' })
  const asked = [{ query: question, vector: mode === 'keyword' ? undefined : vector }]
  const filters = { limit: 50, as_of, document_ids: documents }
  return await search(dbOf(tenant), scopeOf(tenant), { mode, hypotheses: asked, filters })
}

const shown = ({ hits, answerable }: { hits: FoundPassage[]; answerable: number | null }) => ({
  hits: hits.map(({ content, score, scores }) => ({ content, score, scores })).sort((a, b) => b.score - a.score),
  answerable,
})

describe.each(searchModes)('search by %s', (mode) => {
  const some = { tenant: {} as Tenant, ids: [] as DocumentId[] }
  let without: Tenant
  beforeAll(async () => {
    Object.assign(some, await tenantOf([...ordinary, dated]))
    await setDates(some.tenant, some.ids.at(-1)!, from, until)
    without = (await tenantOf(ordinary)).tenant
  })

  test('serves a document from valid_from until just before valid_until', async () => {
    for (const [as_of, isServed] of [
      [justBefore(from), false],
      [from, true],
      [justBefore(until), true],
      [until, false],
    ] as const) {
      const { hits } = await hitsOf(some.tenant, mode, as_of)
      expect(
        hits.some(({ content }) => content === dated),
        as_of,
      ).toBe(isServed)
      const chosen = await hitsOf(some.tenant, mode, as_of, [some.ids.at(-1)!])
      expect(chosen.hits.length, as_of).toBe(isServed ? 1 : 0)
    }
  })

  test('leaves out a document that is not valid, and scores the others as if it did not exist', async () => {
    const expected = shown(await hitsOf(without, mode))
    expect(expected.hits.length).toBeGreaterThan(0)
    for (const as_of of [undefined, justBefore(from), until])
      expect(shown(await hitsOf(some.tenant, mode, as_of))).toEqual(expected)
  })
})

test('search by meaning finds only valid documents, even if an agent has so many chunks that it compares sketches first', async () => {
  const tenant = await stand.tenant()
  const near = Float32Array.from(axis(1), (number, i) => (i === 2 ? 0.1 : number))
  const kept = await storeServed(stand.db, tenant, Array(150).fill({ vector: near }))
  const dated = await storeServed(stand.db, tenant, Array(150).fill({ vector: axis(1) }))
  await setDates(tenant, dated, from, until)
  const find = async (as_of?: string) => {
    const asked = [{ vector: axis(1) }]
    const filters = { limit: 50, as_of }
    const { hits } = await search(dbOf(tenant), scopeOf(tenant), { mode: 'semantic', hypotheses: asked, filters })
    return [hits.length, ...new Set(hits.map(({ document_id }) => document_id))]
  }
  expect(await find()).toEqual([50, kept])
  expect(await find(from)).toEqual([50, dated])
  expect(await find(until)).toEqual([50, kept])
})

test('the explanation says which words are known as of a given time', async () => {
  const { tenant, ids } = await tenantOf(['Parking is free.', 'Dogs are welcome.', 'Zebras are away.'])
  const documentId = ids.at(-1)!
  await setDates(tenant, documentId, from, until)
  const isKnown = async (asOf?: string) =>
    (await soughtWords(dbOf(tenant), scopeOf(tenant), 'zebras', asOf))[0]!.isKnown
  for (const asOf of [undefined, until]) expect(await isKnown(asOf)).toBe(false)
  expect(await isKnown(from)).toBe(true)
})

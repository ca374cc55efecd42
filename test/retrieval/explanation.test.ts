import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { soughtWords } from '../../shared/retrieval/explanation/sought-words.ts'
import type { Hit } from '../../shared/retrieval/schemas.ts'
import { addressTerm } from '../../shared/terms/addresses.ts'
import { indexedTerms } from '../../shared/terms/indexed-terms.ts'
import { placesOf, termPlaces } from '../../shared/terms/term-places.ts'
import { keyOf } from '../../shared/terms/terms.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'
import { searchDatabaseOf as dbOf, scopeOf, tenantWith } from './knowledge.ts'

const stand = useStand()

const evaluation = join(import.meta.dirname, '../evaluation/set')
const textsOf = (business: string) =>
  globSync(`${business}/*.md`, { cwd: evaluation })
    .sort()
    .map((file) => readFileSync(join(evaluation, file), 'utf8'))

async function tenantOf(...texts: string[]): Promise<Tenant> {
  const documents = texts
    .map((text) => text.split('\n'))
    .map(([title = '', ...lines]) => ({
      title: title.replace('# ', ''),
      content: lines.join('\n'),
    }))
  return (await tenantWith(stand, ...documents)).tenant
}

async function search(tenant: Tenant, query: string): Promise<Hit[]> {
  return (await tenant.call('POST', `${tenant.knowledgeBase}/search`, { query })).body.data
}

describe('the words of a question', () => {
  let tenant: Tenant
  beforeAll(async () => {
    tenant = await tenantOf(...shop)
  })
  const explain = async (tenant: Tenant, query: string) => {
    const hits = await search(tenant, query)
    const words = await soughtWords(dbOf(tenant), scopeOf(tenant), query, undefined)
    const marked = hits[0] && markedIn(hits[0].content, new Set(words.flatMap(({ terms }) => [...terms])))
    return {
      known: words.filter(({ isKnown }) => isKnown).map(({ text }) => text),
      unknown: words.filter(({ isKnown }) => !isKnown).map(({ text }) => text),
      marked,
      words,
    }
  }
  const shop = [
    '# Opening hours\nSaturday: open from 9:30. On Sunday we are closed.',
    '# Parts\n| Part | What |\n|---|---|\n| K-4471 | Seal |\n\nAsk Frau Wiśniewski for a price.',
  ]

  test('are known if some text has them, else unknown, and include no stop words', async () => {
    const { known, unknown } = await explain(tenant, 'um are you open on sunday for zebras')
    expect({ known, unknown }).toEqual({ known: ['open', 'sunday'], unknown: ['zebras'] })
  })

  test.each([
    ['do you open sundays', 'Sunday'],
    ['do you have k double four seven one', 'K-4471'],
    ['is miss vishnevski in', 'Wiśniewski'],
    ['half past nine on saturday', '9:30'],
  ])('are marked where the passage has them in any spelling, reading or sound: %s', async (query, place) => {
    expect((await explain(tenant, query)).marked).toContain(place)
  })

  test('match by their sound only if no text has their spelling', async () => {
    const tenant = await tenantOf('# A\nMeet Kowalski here.', '# B\nA kovalsky is a cake.')
    const { words } = await explain(tenant, 'kovalsky')
    expect([...words[0]!.terms].every((term) => !term.startsWith('~'))).toBe(true)
  })

  test('are an empty list if there is nothing to search for', async () => {
    expect(await soughtWords(dbOf(tenant), scopeOf(tenant), 'and is it', undefined)).toEqual([])
  })

  test('are unknown if only another organization’s texts have them', async () => {
    const [mine] = [await tenantOf('# A\nOne text.'), await tenantOf('# B\nZebras.')]
    expect((await explain(mine, 'zebras')).unknown).toEqual(['zebras'])
  })
})

describe('the places of terms in a text', () => {
  test('are those of its stored terms, and no others', () => {
    const texts = [
      ...['apotheke', 'guest-house', 'hausgeraete', 'sewing-machines', 'vets'].flatMap(textsOf),
      'K-4471, k 4471 und 24,90 € – E‑Mail: info@shop.de, O’Neill',
    ]
    for (const text of texts) {
      const stored = indexedTerms(text).entries.flatMap(([key]) => (key === keyOf(addressTerm) ? [] : [key]))
      const placed = termPlaces(text.normalize('NFKC')).map(({ term }) => keyOf(term))
      expect(new Set(placed)).toEqual(new Set(stored))
    }
  })

  test.each([
    ['open', 'We are OPEN; opening hours', ['OPEN', 'opening']],
    ['k4471', 'The K-4471 and k 4471', ['K-4471', 'k 4471']],
    ['営業', '毎日営業しています。営業時間', ['営業', '営業']],
    ['abc', 'ａｂｃ ½ ＡＢＣ.', ['ａｂｃ', 'ＡＢＣ']],
    ['grosse', 'ﬁne Größe', ['Größe']],
  ])('are found for “%s” in “%s”', (word, text, places) => {
    expect(markedIn(text, new Set([termPlaces(word)[0]!.term]))).toEqual(places)
  })
})

function markedIn(text: string, terms: ReadonlySet<string>): string[] {
  return placesOf(terms, text).map(({ start, end }) => text.slice(start, end))
}

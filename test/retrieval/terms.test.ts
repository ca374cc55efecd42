import { describe, expect, test } from 'vitest'
import { indexedTerms } from '../../shared/terms/indexed-terms.ts'
import { packTerms, unpackTerms } from '../../shared/terms/packed-terms.ts'
import { keyOf, termsOf } from '../../shared/terms/terms.ts'
import { wordsOf } from '../../shared/terms/words.ts'

const keys = (text: string) => new Set(frequencies(text).keys())
const frequencies = (text: string, context: string[] = []) => new Map(indexedTerms(text, context).entries)

const pairs = (text: string) => text.split(', ').map((pair) => pair.split(' ') as [string, string])

describe('two forms match', () => {
  test.each(
    pairs(
      'price Prices, open opening, park PARKING, repair repaired, delivery deliveries, Stunde Stunden, ' +
        'Waschmaschine Waschmaschinen, Müller Mueller, größe GROESSE, Wiśniewski wisniewski, Łódź lodz, élevé eleve, ＡＢＣ abc',
    ),
  )('%s and %s', (one, other) => {
    expect([...keys(one)].filter((key) => keys(other).has(key)).length).toBeGreaterThan(0)
  })
})

test.each(pairs('SP-4041 SP-4014, order ordinary, bus busy, が か'))('%s and %s don’t match', (one, other) => {
  const whole = (text: string) => termsOf(text.replace('-', ''))[0]
  expect(whole(one)).not.toBe(whole(other))
})

describe('a code', () => {
  test.each(['QX-4471-B', 'qx 4471 b', 'QX4471B', 'qx.4471.b', 'QX/4471/B'])('%s has its digits as a term', (text) => {
    expect(keys(text)).toContain(keyOf('4471'))
  })
  test.each(['K-4471', 'k 4471', 'K4471', 'k-4471'])('%s is one term, whatever separates its parts', (text) => {
    expect(keys(text)).toContain(keyOf('k4471'))
  })
  test.each(['24.90', '24,90', '2490'])('%s is one term, with and without its decimal point', (text) => {
    expect(keys(text)).toContain(keyOf('2490'))
  })
  test('that begins a row counts twice', () => {
    const row = '| Part | Price |\n|---|---|\n| K-4471 | 3 |\n'
    expect(frequencies(row).get(keyOf('k4471'))).toBe(2)
    expect(frequencies(`${row}see K-4472`).get(keyOf('k4472'))).toBe(1)
  })
})

test('a script without spaces is split into pairs of characters, apart from the text beside it', () => {
  expect(wordsOf('リモコンRM-3030').map((word) => word.text)).toEqual(['リモコン', 'RM', '3030'])
  expect(termsOf('保証期間')).toEqual(['保证', '证期', '期间'])
  expect(termsOf('犬')).toEqual(['犬'])
})

test('stop words and single letters are no terms', () => {
  for (const word of ['the', 'Is', 'und', 'wäre', 'pour', 'x']) expect(termsOf(word)).toEqual([])
  expect(indexedTerms('Is it of the')).toEqual({ length: 0, entries: [] })
})

test('a term counts at most three times, and the headings’ terms count too', () => {
  const [key] = keys('lamp')
  expect(frequencies('lamp lamp lamp lamp', ['lamp']).get(key!)).toBe(3)
  expect(frequencies('bell', ['Lamps']).get(key!)).toBe(1)
})

test.each([
  ['no terms', { length: 0, entries: [] }],
  ['a text’s', indexedTerms('The spring roll costs £6.50, the duck £18.')],
  [
    'the lowest and the highest keys',
    { length: 300, entries: [[1, 3] as const, [2, 1] as const, [100_000_000, 2] as const] },
  ],
])('packed terms are read as they were: %s', (_, terms) => {
  const packed = Buffer.concat([Buffer.from('before'), packTerms(terms), Buffer.from('after')])
  const entries: [number, number][] = []
  const length = unpackTerms(packed, 6, packed.length - 5, (...entry) => entries.push(entry))
  expect({ length, entries }).toEqual(terms)
})

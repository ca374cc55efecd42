import { describe, expect, test } from 'vitest'
import { type Concept, conceptsIn, conceptsOf, conceptsOfPair } from '../../shared/embedding/concepts/concepts.ts'
import { lexicalEmbedder } from '../../shared/embedding/lexical-embedder.ts'
import { fold, stem } from '../../shared/terms/word-forms.ts'

const of = (word: string) => conceptsOf(fold(word), stem(fold(word)))

test.each<[Concept, string]>([
  ['price', 'prices costs kostet Gebühren tarifs'],
  ['open', 'opening closes geöffnet Öffnungszeiten fermé horaires'],
  ['pay', 'paying cash bezahlen Kartenzahlung payer'],
  ['dog', 'dogs puppies dachshund Dackel Hündin chiens'],
  ['access', 'wheelchair stairs Rollstuhl Treppen fauteuil'],
  ['cancel', 'cancelled cancellation absagen stornieren annuler'],
  ['insure', 'insured insurance Haftpflichtversicherung assurance'],
])('words of several languages have the concept %s: %s', (concept, words) => {
  expect(words.split(' ').filter((word) => !of(word).includes(concept))).toEqual([])
})

test('a German compound has the concepts of its ends', () => {
  expect(of('Kinderarztpraxis')).toEqual(['child', 'doctor'])
})

test.each(['carpet', 'costume', 'cardiac', 'deadline', 'pretty', 'Platz'])(
  '%s has no concept, though it begins like a word that has one',
  (word) => {
    expect(of(word)).toEqual([])
  },
)

test('two words have a concept together that neither has alone', () => {
  expect(conceptsOfPair('how', 'much')).toEqual(['price'])
  expect([...of('how'), ...of('much')]).toEqual([])
})

test('in Japanese, which has no spaces, the longest word counts', () => {
  expect(conceptsIn('自転車の駐車料金')).toEqual(['bike', 'park', 'price'])
})

describe('the lexical embedder puts a question nearer to', () => {
  test.each([
    ['its answer in other words', 'can i pay bit by bit', 'Instalments: six months', 'Delivery: six working days'],
    ['its answer in another language', 'Darf mein Dackel mit?', 'Dogs are welcome.', 'Cars are washed.'],
    ['an answer that shows a price', 'what do you charge', 'Espresso € 2', 'Espresso, strong'],
    ['an answer that shows a time', 'wann habt ihr offen', 'Mo 9:00', 'Mo Espresso'],
    ['a code that is written apart', 'QX 4471', 'The QX-4471.', 'QX and 4471 others'],
    ['an answer in a script without spaces', '駐車場はありますか', '当店の駐車場は二台分です', '当店の予約は電話です'],
  ])('%s', async (_, question, answer, other) => {
    const [asked, right, wrong] = await lexicalEmbedder().embed([question, answer, other])
    expect(cosine(asked!, right!)).toBeGreaterThan(cosine(asked!, wrong!) + 0.05)
  })
})

function cosine(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, number, i) => sum + number * b[i]!, 0)
}

import { expect, test } from 'vitest'
import { Random } from '../simulation/random.ts'
import { serveChunks } from '../support/documents/documents.ts'
import { axis } from '../support/provider/axis.ts'
import { useStand } from '../support/stand/stand.ts'
import { isThorough } from '../support/tools/effort.ts'

const stand = useStand()

// Lower-case nouns: each matches in one way only, since no text has its sound.
const vocabulary = 'lamp bell wheel chain pedal saddle brake tyre spoke frame pump lock basket helmet rack'.split(' ')
const gains = [0, 0.85, 0.96, 1]

/** Computes the formula independently, over plain lists of words. */
function scoresOf(texts: string[][], question: string[]): number[] {
  const having = (word: string) => texts.filter((text) => text.includes(word)).length
  const idf = (count: number) => Math.log(1 + (texts.length - count + 0.5) / (count + 0.5))
  const unknown = (word: string) => (having(word) === 0 ? 0.6 : 1)
  const all = question.reduce((sum, word) => sum + unknown(word) * idf(having(word)), 0)
  const matching = texts.filter((text) => text.some((word) => question.includes(word)))
  const usual = 1 + matching.reduce((sum, text) => sum + text.length, 0) / matching.length
  return texts.map((text) => {
    const count = (word: string) => Math.min(3, text.filter((each) => each === word).length)
    const met = question.reduce((sum, word) => sum + gains[count(word)]! * idf(having(word)), 0)
    return met / all / (1 + (0.2 * text.length) / (text.length + usual))
  })
}

test('every score equals that of the formula, for random texts and questions', async () => {
  const random = new Random(11)
  const tenant = await stand.tenant()
  const texts = Array.from({ length: 40 }, () =>
    Array.from({ length: 1 + random.below(12) }, () => vocabulary[random.below(vocabulary.length - 2)]!),
  )
  await serveChunks(
    tenant,
    texts.map((text) => ({ content: text.join(' '), embedding: axis(1) })),
  )
  for (let i = 0; i < (isThorough ? 30 : 6); i++) {
    const question = [
      ...new Set(Array.from({ length: 1 + random.below(14) }, () => vocabulary[random.below(vocabulary.length)]!)),
    ]
    const wanted = scoresOf(texts, question)
    const request = { query: question.join(' '), mode: 'keyword', limit: 50 }
    const { body: found } = await tenant.call('POST', `${tenant.knowledgeBase}/search`, request)
    const hits: { chunk_index: number; score: number }[] = found.data
    expect(hits.length).toBe(wanted.filter((score) => score > 0).length)
    for (const { chunk_index, score } of hits) expect(score).toBeCloseTo(wanted[chunk_index]!, 9)
  }
})

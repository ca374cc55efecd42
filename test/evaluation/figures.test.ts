import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Answer } from './ask.ts'
import { committedFigures } from './committed.ts'
import { toFigures } from './figures.ts'
import { withTable } from './report.ts'

/** @param score of the best hit; undefined where nothing is found */
function answer(id: string, rank: number | undefined, score: number | undefined, hasAnswer = true): Answer {
  return {
    id,
    kind: hasAnswer ? 'hours' : 'unanswerable',
    question: id,
    mode: 'keyword',
    expected: hasAnswer ? { title: 'Hours', words: undefined } : undefined,
    rank,
    documentRank: rank,
    first: score === undefined ? undefined : { document_title: 'Hours', content: '', score },
    isDegraded: false,
  }
}

const before = toFigures({}, [answer('a', 1, 0.8), answer('b', 3, 0.6), answer('c', undefined, 0.1, false)])

test('questions without an answer count for the score alone', () => {
  expect(before.questions).toEqual({ answerable: 2, unanswerable: 1 })
  expect(before.modes.keyword).toMatchObject({
    groups: { hours: { questions: 2, hit1: 1, hit5: 2, mrr: 0.6667 }, 'all answerable': { questions: 2 } },
    auc: 1,
    ranks: { a: 1, b: 3 },
  })
})

test('a question for which nothing is found counts as if below any score', () => {
  const figures = toFigures({}, [answer('a', 1, 0), answer('b', undefined, undefined, false)])
  expect(figures.modes.keyword?.auc).toBe(1)
})

const committed = committedFigures()
test.runIf(committed)('the table of the search page shows the committed figures', () => {
  const readme = readFileSync(join(import.meta.dirname, '../../shared/retrieval/README.md'), 'utf8')
  expect(withTable(readme, committed!)).toBe(readme)
})

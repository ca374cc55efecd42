import { describe, expect, test } from 'vitest'
import { questionsByLine } from '../../infra/client/questions/questions-file.ts'
import { rankOf } from './ask.ts'

describe('a file of questions', () => {
  const parsed = (text: string) => [...questionsByLine(text, 'mine.csv').values()]

  test('may have semicolons, other names for columns, and neither ids nor kinds', () => {
    expect(parsed('Query;Document_Title\nopen, on sunday?;Hours\n\nkittens?;\n')).toEqual([
      { id: 'line 2', question: 'open, on sunday?', expected: { title: 'Hours' }, settings: {}, history: [] },
      { id: 'line 4', question: 'kittens?', settings: {}, history: [] },
    ])
  })

  test.each([
    ['frage,titel\na,b\n', 'mine.csv, line 1: no column `question`'],
    ['question,title\na,b\n,c\n', 'mine.csv, line 3: the question is empty'],
    ['id,question,title\n1,a,b\n1,b,c\n', 'mine.csv, line 3: an earlier question has the id 1 too'],
  ])('is refused at the line that is wrong: %j', (text, message) => {
    expect(() => parsed(text)).toThrow(message)
  })
})

describe('a hit is right', () => {
  const hit = (document_title: string, content: string) => ({ document_title, content, score: 0.5 })
  const found = [
    hit('Hours', 'Open daily'),
    hit('Prices', 'Closed on\n  Sundays'),
    hit('Hours', 'Closed on\n  Sundays'),
  ]

  test('by its title and words, ignoring case and white space', () => {
    expect(rankOf(found, { title: 'hours', words: 'closed on sundays' })).toBe(3)
    expect(rankOf(found, { title: 'Hours', words: undefined })).toBe(1)
    expect(rankOf(found, { title: undefined, words: 'Closed on Sundays' })).toBe(2)
    expect(rankOf(found, { title: 'Prices', words: 'daily' })).toBeUndefined()
  })
})

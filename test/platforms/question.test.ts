import { describe, expect, test } from 'vitest'
import { questionIn, questionOf } from '../../functions/platforms/question.ts'

describe('the question of a conversation', () => {
  const before = 'When is the workshop open?'

  test('is the caller’s last turn, after ten others at most', () => {
    expect(questionIn(['Hello?', before, '', ' and on Sundays ', ' '])).toEqual({
      query: 'and on Sundays',
      history: ['Hello?', before],
    })
    expect(questionIn([before])).toEqual({ query: before, history: [] })
    const turns = Array.from({ length: 20 }, (_, i) => `turn ${i}`)
    expect(questionIn(turns)).toEqual({ query: 'turn 19', history: turns.slice(9, 19) })
  })

  test('is absent while there is nothing to look for', () => {
    for (const turns of [[], [''], ['um, hello'], ['hi', 'thank you'], ['…', '?']])
      expect(questionIn(turns)).toBeUndefined()
  })

  test('keeps the end of a text too long for a search, without half a character', () => {
    const { query } = questionIn([`${'word '.repeat(10)}${'😀'.repeat(4001)}x the gel saddle`])!
    expect(query.length).toBeLessThanOrEqual(8000)
    expect(query.endsWith('x the gel saddle')).toBe(true)
    expect(query.isWellFormed()).toBe(true)
  })
})

describe('the question of a tool', () => {
  test('has the first nine alternatives that a search takes, and none that is malformed', () => {
    const query = 'Is there parting?'
    const alternatives = ['Is there parking?', 7, '', ' ', null, { text: 'x' }, 'x'.repeat(8001), 'Is there pasta?']
    const question = { query, alternatives: ['Is there parking?', 'Is there pasta?'] }
    expect(questionOf({ query, alternatives })).toEqual(question)
    expect(questionOf(JSON.stringify({ query, alternatives }))).toEqual(question)
    const many = Array.from({ length: 12 }, (_, i) => `${i}`)
    expect(questionOf({ query, alternatives: many })).toEqual({ query, alternatives: many.slice(0, 9) })
    for (const malformed of [undefined, null, 'parking', 7, { 0: 'parking' }])
      expect(questionOf({ query, alternatives: malformed })).toMatchObject({ query, alternatives: [] })
  })
})

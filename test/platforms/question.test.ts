import { describe, expect, test } from 'vitest'
import { questionIn, questionOf } from '../../functions/platforms/question.ts'

describe('the question of a conversation', () => {
  const before = 'When is the workshop open?'

  test.each([
    ['and on Sundays', `${before} and on Sundays`],
    ['Und am Sonntag?', `${before} Und am Sonntag?`],
    ['et pour les enfants', `${before} et pour les enfants`],
    ['yes, please', `${before} yes, please`],
    ['how much is that', `${before} how much is that`],
    ['', `${before}`],
    ['okay', `${before} okay`],
    ['what does the gel saddle cost', 'what does the gel saddle cost'],
    ['what is LM2142', 'what is LM2142'],
    ['免税の手続きはできますか', '免税の手続きはできますか'],
    ['Welche Wasserhärte hat Baunatal?', 'Welche Wasserhärte hat Baunatal?'],
  ])('that ends with %j is %j', (last, question) => {
    expect(questionIn(['Hello?', before, last])).toBe(question)
  })

  test('keeps its topic through fragments, past what says nothing', () => {
    const topic = 'How much is a rental e-bike?'
    const fragments = ['and for a week', 'and for two']
    expect(questionIn([topic, ...fragments])).toBe(`${topic} and for a week and for two`)
    expect(questionIn(['Where do guests park?', topic, 'uh', fragments[0]!, 'okay', 'hm', fragments[1]!])).toBe(
      `${topic} and for a week and for two`,
    )
    expect(questionIn([topic, 'uh', 'okay'])).toBe(`${topic} okay`)
  })

  test('goes back four turns at most', () => {
    expect(questionIn([before, 'and Monday', 'and Tuesday', 'and Friday', 'and Sunday'])).toBe(
      'and Monday and Tuesday and Friday and Sunday',
    )
  })

  test('is none while there is nothing to look for', () => {
    for (const turns of [[], [''], ['um, hello'], ['hi', 'thank you'], ['…', '?']])
      expect(questionIn(turns)).toBeUndefined()
  })

  test('with a single turn is that turn', () => {
    expect(questionIn(['and on Sundays'])).toBe('and on Sundays')
  })

  test('keeps the end of what is too long for a search, and no half of a character', () => {
    const question = questionIn([`${'word '.repeat(10)}${'😀'.repeat(4001)}x the gel saddle`])!
    expect(question.length).toBeLessThanOrEqual(8000)
    expect(question.endsWith('x the gel saddle')).toBe(true)
    expect(question.isWellFormed()).toBe(true)
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

import { expect, test } from 'vitest'
import { inContext } from '../../shared/retrieval/in-context.ts'

const before = 'When is the workshop open?'

test.each([
  ['and on Sundays', `${before} and on Sundays`],
  ['Und am Sonntag?', `${before} Und am Sonntag?`],
  ['et pour les enfants', `${before} et pour les enfants`],
  ['yes, please', `${before} yes, please`],
  ['how much is that', `${before} how much is that`],
  ['okay', `${before} okay`],
  ['what does the gel saddle cost', 'what does the gel saddle cost'],
  ['what is LM2142 in red', 'what is LM2142 in red'],
  ['免税の手続きはできますか', '免税の手続きはできますか'],
  ['Welche Wasserhärte hat Baunatal?', 'Welche Wasserhärte hat Baunatal?'],
])('%j is searched as %j', (turn, meant) => {
  expect(inContext(turn, ['Hello?', before])).toBe(meant)
})

test('a fragment keeps its topic across other fragments and empty turns, for at most four turns', () => {
  const topic = 'How much is a rental bike?'
  expect(inContext('and for two', ['Where do guests park?', topic, 'uh', 'and for a week', 'okay', 'hm'])).toBe(
    `${topic} and for a week and for two`,
  )
  expect(inContext('and Sunday', [before, 'and Monday', 'and Tuesday', 'and Friday'])).toBe(
    'and Monday and Tuesday and Friday and Sunday',
  )
  expect(inContext('and on Sundays')).toBe('and on Sundays')
})

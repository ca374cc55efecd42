import { expect, test } from 'vitest'
import { groupQuestions } from '../../functions/dashboard/questions/grouping.ts'
import { readSet } from '../evaluation/labelled-set.ts'

const grouped = (...questions: string[]) =>
  groupQuestions(questions.map((question) => ({ question }))).map((group) => group.map(({ question }) => question))

test.each([
  ['are you open on sunday', 'um are you guys open sundays', 'Are you open on Sunday?', 'sunday opening hours'],
  ['do you have k double four seven one', 'is K-4471 in stock', 'k 4471'],
  ['is there parking', 'where can I park', 'where do i park my car'],
  ['is doctor kowalski in on friday', 'is dr kovalsky there friday'],
  ['habt ihr sonntags geöffnet', 'wann habt ihr am Sonntag offen'],
  ['half past nine', '9:30'],
  ['営業時間は', '営業時間はいつ'],
])('similar questions are one group: %s', (...questions) => {
  expect(grouped(...questions)).toEqual([expect.arrayContaining(questions)])
})

test.each([
  ['are you open on sunday', 'are you open on saturday'],
  ['is K-4471 in stock in Munich', 'is K-4472 in stock in Munich'],
  ['can i return a bike', 'can i rent a bike'],
  ['how old must a puppy be', 'how much is the puppy plan'],
  ['when is puppy school', 'how much is puppy school'],
  ['is it and', 'are you the'],
])('these two are not similar: %s, %s', (...questions) => {
  expect(grouped(...questions)).toHaveLength(2)
})

test('no two similar questions are in the evaluation, in which every question asks for something else', () => {
  for (const { questions } of readSet(`${import.meta.dirname}/../evaluation/set`)) {
    const merged = groupQuestions(questions).filter((group) => group.length > 1)
    expect(merged.map((group) => group.map(({ question }) => question))).toEqual([])
  }
})

test('questions are always grouped the same, with the most frequent wording first', () => {
  const asked = ['parrots', 'sell cars', 'um cars', 'parrots allowed', 'um cars', 'boats']
  const groups = grouped(...asked)
  expect(groups).toEqual([['um cars', 'um cars', 'sell cars'], ['parrots', 'parrots allowed'], ['boats']])
  expect(grouped(...asked)).toEqual(groups)
})

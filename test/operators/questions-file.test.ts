import fc from 'fast-check'
import { expect, test } from 'vitest'
import { questionsByLine, writeQuestions } from '../../infra/client/questions/questions-file.ts'

const text = fc
  .oneof(fc.string(), fc.constantFrom('(none)', "'(none)", "'=1", '=1', '- no', 'a\r\nb', '"', ';', '\ufeff'))
  .map((text) => text.trim())
const some = text.filter((text) => text !== '')
const turn = some.map((text) => text.replaceAll(/\s+/g, ' '))
const question = fc.record({
  question: some,
  title: fc.option(some, { nil: undefined }),
  words: fc.option(some, { nil: undefined }),
  value: fc.oneof(some, fc.constantFrom(null, undefined)),
  history: fc.array(turn, { maxLength: 3 }),
})

test('a written file of golden questions is read without loss', () => {
  fc.assert(
    fc.property(fc.array(question, { minLength: 1 }), (questions) => {
      const settings = { document_id: undefined, within: 3, on_failure: 'warn', as_of: undefined }
      const file = writeQuestions(questions.map((each) => ({ ...each, ...settings })))
      const read = [...questionsByLine(file, 'mine.csv').values()].map(({ question, expected, history }) => {
        return { question, title: expected?.title, words: expected?.words, value: expected?.value, history }
      })
      expect(read).toEqual(questions)
    }),
  )
})

import { html } from 'hono/html'
import * as v from 'valibot'
import { time } from '../../../shared/http/input/time.ts'
import { documentId } from '../../../shared/ids.ts'
import { maxTurns } from '../../../shared/retrieval/heard.ts'
import { momentOf } from '../as-of.ts'
import { fieldsOf, type Sent, sheetForm } from '../form-view.ts'
import { line, lines, oneLine } from '../forms.ts'
import type { Html } from '../layout.ts'
import { checksPage } from '../paths.ts'
import { timeIn } from '../times.ts'

type Titled = { id: string; title: string }

export const noDocument = 'Choose a document, or nothing. This document may have been deleted.'
const maxQuestion = 8000
const maxWords = 1000

const optionalLine = (tooLong: string) =>
  v.pipe(v.optional(v.string(), ''), v.transform(oneLine), v.maxLength(maxWords, tooLong))

export const checkForm = v.pipe(
  v.object({
    question: line(maxQuestion, {
      missing: 'Enter a question.',
      tooLong: 'A question can have at most 8,000 characters.',
    }),
    history: v.pipe(
      lines,
      v.maxLength(maxTurns, `Enter at most ${maxTurns} lines.`),
      v.everyItem((turn) => [...turn].length <= maxQuestion, 'A line can have at most 8,000 characters.'),
    ),
    expected: v.union([v.picklist(['', 'nothing']), documentId], noDocument),
    words: optionalLine('These words can have at most 1,000 characters.'),
    value: optionalLine('A value can have at most 1,000 characters.'),
    on_failure: v.picklist(['warn', 'block'], 'Choose what happens.'),
    as_of: v.optional(time),
  }),
  v.forward(
    v.check(
      ({ expected, words, value }) => expected !== '' || words !== '' || value !== '',
      'Choose a document above, or enter words or a value of the answer.',
    ),
    ['words'],
  ),
)

/** What the form asks for. If nothing should answer, it expects no words and no value. */
export function toInput({ expected, words, value, as_of, ...given }: v.InferOutput<typeof checkForm>) {
  const expects_nothing = expected === 'nothing'
  const hasValue = !expects_nothing && value !== ''
  return {
    ...given,
    as_of: as_of ?? momentOf(given),
    document_id: expected === '' || expected === 'nothing' ? null : expected,
    words: expects_nothing ? null : words || null,
    value: hasValue ? value : null,
    expects_value: hasValue,
    expects_nothing,
  }
}

export function formView(agentId: string, documents: readonly Titled[], zone: string, { typed, faults }: Sent): Html {
  const { line, area, choice } = fieldsOf({ typed: { on_failure: 'warn', ...typed }, faults })
  const choices = [
    ['', 'Any document with the words or the value below'],
    ['nothing', 'Nothing: your agent shouldn’t find an answer'],
    ...documents.map(({ id, title }) => [id, title]),
  ] as [string, string][]
  const ofHistory = 'What the caller said earlier in the call, one line each, if the question needs it.'
  const ofWords = 'Such as “On Sunday we are closed”. These words must stay, whatever else the text says.'
  const ofValue = 'Such as “£14.20”. Leave it empty if you don’t want it checked.'
  const { success, output: asOf } = v.safeParse(time, typed?.as_of)
  const fields = [
    line('question', 'Question', maxQuestion, 'As a caller would ask it.'),
    area('history', 'Said before', maxTurns * maxQuestion, ofHistory),
    choice('expected', 'Answered by', choices, 'The document that should be found.'),
    line('words', 'Words that the answer has', maxWords, ofWords, ''),
    line('value', 'The value that a table gives', maxWords, ofValue, ''),
    success
      ? html`<p class="hint">It is asked as of ${timeIn(new Date(asOf), zone)}.<input type="hidden" name="as_of" value="${asOf}"></p>`
      : html``,
    choice('on_failure', 'If a change would make it fail', [
      ['warn', 'Tell me, and make the change'],
      ['block', 'Stop the change, and say why'],
    ]),
  ]
  return sheetForm(fields, 'Save check', checksPage(agentId))
}

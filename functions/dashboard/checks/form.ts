import { html } from 'hono/html'
import * as v from 'valibot'
import { needsMoment } from '../../../shared/checks/moment.ts'
import type { KeptCheck } from '../../../shared/checks/store.ts'
import { time } from '../../../shared/http/input/time.ts'
import { documentId } from '../../../shared/ids.ts'
import { maxTurns } from '../../../shared/retrieval/heard.ts'
import { fieldsOf, type Sent, sheetForm } from '../form-view.ts'
import { line, lines, oneLine } from '../forms.ts'
import type { Html } from '../layout.ts'
import { checksPage } from '../paths.ts'
import { number } from '../sentences.ts'
import { timeIn } from '../times.ts'

type Titled = { id: string; title: string }

export const noDocument = 'Choose a document, or nothing. This document may have been deleted.'
const noWithin = 'Enter a number from 1 to 10.'
const maxQuestion = 8000
const maxWords = 1000
export const maxDocuments = 200

const history = v.pipe(
  lines,
  v.maxLength(maxTurns, `Enter at most ${maxTurns} lines.`),
  v.check(
    (turns) => turns.every((turn) => [...turn].length <= maxQuestion),
    'A line can have at most 8,000 characters.',
  ),
)

export const checkForm = v.pipe(
  v.object({
    question: line(maxQuestion, {
      missing: 'Enter a question.',
      tooLong: 'A question can have at most 8,000 characters.',
    }),
    history,
    expected: v.union([v.picklist(['', 'nothing']), documentId], noDocument),
    words: v.pipe(
      v.optional(v.string(), ''),
      v.transform(oneLine),
      v.maxLength(maxWords, 'These words can have at most 1,000 characters.'),
    ),
    value: v.pipe(
      v.optional(v.string(), ''),
      v.transform(oneLine),
      v.maxLength(maxWords, 'A value can have at most 1,000 characters.'),
    ),
    no_value: v.pipe(
      v.optional(v.string(), ''),
      v.transform((sent) => sent !== ''),
    ),
    within: v.pipe(v.string(noWithin), v.regex(/^([1-9]|10)$/, noWithin), v.transform(Number)),
    on_failure: v.picklist(['warn', 'block'], 'Choose what happens.'),
    as_of: v.optional(time),
  }),
  v.forward(
    v.check(
      ({ expected, words, value, no_value }) => expected !== '' || words !== '' || value !== '' || no_value,
      'Choose a document above, or enter words or a value of the answer.',
    ),
    ['words'],
  ),
  v.forward(
    v.check(
      ({ expected, words }) => expected !== 'nothing' || words === '',
      'Leave this empty if nothing should answer the question.',
    ),
    ['words'],
  ),
  v.forward(
    v.check(
      ({ expected, value, no_value }) => value === '' || (expected !== 'nothing' && !no_value),
      'Leave this empty if nothing should answer the question, or no table should give a value.',
    ),
    ['value'],
  ),
)

export function toInput({ expected, words, value, no_value, as_of, ...given }: v.InferOutput<typeof checkForm>) {
  const isNothing = expected === 'nothing'
  const document_id = isNothing || expected === '' ? null : expected
  return {
    ...given,
    as_of: as_of ?? null,
    document_id,
    words: words || null,
    value: value || null,
    expects_value: !isNothing && (value !== '' || no_value),
    expects_nothing: isNothing,
  }
}

export function toTyped(kept: KeptCheck) {
  const { question, document_id, words, value, expects_value, history, within, on_failure } = kept
  return {
    question,
    expected: kept.expects_nothing ? 'nothing' : (document_id ?? ''),
    words: words ?? '',
    value: value ?? '',
    no_value: expects_value && value === null ? 'true' : undefined,
    history: history.join('\n'),
    within: `${within}`,
    on_failure,
    as_of: kept.as_of?.toISOString(),
  }
}

export function formView(agentId: string, documents: readonly Titled[], zone: string, { typed, faults }: Sent): Html {
  const { line, area, choice, boxes } = fieldsOf({ typed: { within: '3', on_failure: 'warn', ...typed }, faults })
  const choices = [
    ['', 'Any document with the words or the value below'],
    ['nothing', 'Nothing: your agent shouldn’t find an answer'],
    ...documents.map(({ id, title }) => [id, title]),
  ] as [string, string][]
  const older = `The newest ${number(maxDocuments)} documents are listed. To choose an older one, ask the question and keep its answer there.`
  const ofExpected = ['The document that should be found.', documents.length >= maxDocuments && older]
  const ofHistory = 'What the caller said earlier in the call, one line each, if the question needs it.'
  const ofWords = 'Such as “On Sunday we are closed”. These words must stay, whatever else the text says.'
  const ofValue = 'Such as “£14.20”. Leave it empty if you don’t want it checked.'
  const toTen = html`type="number" min="1" max="10" required`
  const fields = [
    line('question', 'Question', maxQuestion, 'As a caller would ask it.'),
    area('history', 'Said before', maxTurns * maxQuestion, ofHistory),
    choice('expected', 'Answered by', choices, ofExpected.filter(Boolean).join(' ')),
    line('words', 'Words that the answer has', maxWords, ofWords, ''),
    line('value', 'The value that a table gives', maxWords, ofValue, ''),
    boxes('checkbox', 'no_value', 'Or no value', [['true', 'No table should give a value']]),
    line('within', 'Among the first', 2, 'Voice agents get about three parts.', toTen),
    asOfField(typed?.as_of),
    choice('on_failure', 'If a change would make it fail', [
      ['warn', 'Tell me, and make the change'],
      ['block', 'Stop the change, and say why'],
    ]),
  ]
  return sheetForm(fields, 'Save check', checksPage(agentId))

  /** The moment at which it is asked: a box to untick, unless its question has a day relative to now. */
  function asOfField(as_of: string | undefined): Html {
    const { success, output } = v.safeParse(time, as_of)
    if (!success) return html``
    const moment = timeIn(new Date(output), zone)
    const history = `${typed?.history ?? ''}`.split('\n')
    if (needsMoment({ question: `${typed?.question ?? ''}`, history }))
      return html`<p class="hint">It is asked as of ${moment}, since its answer changes with the day.<input type="hidden" name="as_of" value="${output}"></p>`
    return boxes(
      'checkbox',
      'as_of',
      'When it is asked',
      [[output, 'Always as of the moment of this answer']],
      html`${moment}`,
    )
  }
}

import { html } from 'hono/html'
import * as v from 'valibot'
import type { KeptGolden } from '../../../shared/golden/store.ts'
import { documentId } from '../../../shared/ids.ts'
import { maxTurns } from '../../../shared/retrieval/schemas.ts'
import { type Faults, faultOf, invalid, line, oneLine, shortened } from '../forms.ts'
import type { Html } from '../layout.ts'
import { goldenPage } from '../paths.ts'
import { number } from '../sentences.ts'
import type { Titled } from '../titles.ts'
import { words } from '../words.ts'

const w = words.golden.form
const maxQuestion = 8000
const maxWords = 1000
export const maxDocuments = 200

const history = v.pipe(
  v.optional(v.string(), ''),
  v.transform((text) => text.split('\n').map(oneLine).filter(Boolean)),
  v.maxLength(maxTurns, `Enter at most ${maxTurns} lines.`),
  v.check(
    (turns) => turns.every((turn) => [...turn].length <= maxQuestion),
    'A line can have at most 8,000 characters.',
  ),
)

export const goldenForm = v.pipe(
  v.object({
    question: line(maxQuestion, {
      missing: 'Enter a question.',
      tooLong: 'A question can have at most 8,000 characters.',
    }),
    history,
    expected: v.union([v.picklist(['', 'nothing']), documentId], w.noDocument),
    words: v.pipe(
      v.optional(v.string(), ''),
      v.transform(oneLine),
      v.maxLength(maxWords, 'These words can have at most 1,000 characters.'),
    ),
    within: v.pipe(v.string(w.noWithin), v.regex(/^([1-9]|10)$/, w.noWithin), v.transform(Number)),
    on_failure: v.picklist(['warn', 'block'], 'Choose what happens.'),
  }),
  v.forward(
    v.check(
      ({ expected, words }) => expected !== '' || words !== '',
      'Choose a document above, or enter words that the passage has.',
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
)

export function toInput({ expected, words, ...given }: v.InferOutput<typeof goldenForm>) {
  const isNothing = expected === 'nothing'
  const document_id = isNothing || expected === '' ? null : expected
  return { ...given, document_id, words: words || null, expects_nothing: isNothing }
}

export function toTyped({ document_id, words, expects_nothing, ...kept }: KeptGolden): Typed {
  const expected = expects_nothing ? 'nothing' : (document_id ?? '')
  return { expected, words: words ?? '', ...kept, history: kept.history.join('\n'), within: `${kept.within}` }
}

type Typed = Partial<
  Record<'question' | 'history' | 'expected' | 'words' | 'within' | 'on_failure', string | undefined>
>

interface Filled {
  documents: readonly Titled[]
  typed: Typed
  faults?: Faults | undefined
}

export function formView(agentId: string, { documents, typed, faults = {} }: Filled): Html {
  const { question = '', history = '', expected = '', words: passage = '', within = '3', on_failure = 'warn' } = typed
  const choices = [
    ['', 'Any document with the words below'],
    ['nothing', 'Nothing: your agent shouldn’t find an answer'],
    ...documents.map(({ id, title }) => [id, title]),
  ]
  const about = (name: string) =>
    html`aria-describedby="${faults[name] && `${name}-fault `}${name}-hint"${invalid(faults[name])}`
  const field = (name: string, label: string, input: Html, hint: string | false) =>
    html`<div class="field"><label for="${name}">${label}</label>
${input}${faultOf(name, faults[name])}${hint && html`<p id="${name}-hint" class="hint">${hint}</p>`}</div>`
  return html`<form class="panel sheet" method="post" data-draft>
${field('question', 'Question', html`<input id="question" name="question" value="${shortened(question, maxQuestion)}" maxlength="${maxQuestion}" required ${about('question')}>`, 'As a caller would ask it.')}
${field(
  'history',
  'Said before',
  html`<textarea id="history" name="history" rows="3" ${about('history')}>
${shortened(history, maxTurns * maxQuestion)}</textarea>`,
  'What the caller said before in the same call, a line each, if the question needs it.',
)}
${field('expected', 'Answered by', html`<select id="expected" name="expected" ${about('expected')}>${options(choices, expected)}</select>`, ['The document whose passage should be found.', documents.length >= maxDocuments && `The newest ${number(maxDocuments)} documents are listed. To choose an older one, ask the question, compare it with that document and make it a golden question there.`].filter(Boolean).join(' '))}
${field('words', 'Words that the passage has', html`<input id="words" name="words" value="${shortened(passage, maxWords)}" maxlength="${maxWords}" ${about('words')}>`, 'Such as “On Sunday we are closed”: whatever else the text says, these words have to stay.')}
${field('within', 'Among the first', html`<input id="within" type="number" name="within" value="${shortened(within, 2)}" min="1" max="10" required ${about('within')}>`, 'Voice agents get about three passages.')}
${field('on_failure', 'If a change would make it fail', html`<select id="on_failure" name="on_failure"${invalid(faults.on_failure)}>${options(Object.entries(w.options), on_failure)}</select>`, false)}
<div class="actions"><button>Save golden question</button> <a class="button plain" href="${goldenPage(agentId)}">${words.cancel}</a></div></form>`
}

function options(choices: readonly (readonly string[])[], chosen: string) {
  return choices.map(
    ([value, name]) => html`<option value="${value}"${value === chosen && html` selected`}>${name}</option>`,
  )
}

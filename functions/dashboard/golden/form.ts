import { html } from 'hono/html'
import * as v from 'valibot'
import type { KeptGolden } from '../../../shared/golden/store.ts'
import { documentId } from '../../../shared/ids.ts'
import { type Faults, faultOf, invalid, line, oneLine, shortened } from '../forms.ts'
import type { Html } from '../layout.ts'
import { goldenPage } from '../paths.ts'
import type { Titled } from '../titles.ts'
import { words } from '../words.ts'

const w = words.golden.form
const maxQuestion = 8000
const maxWords = 1000
export const maxDocuments = 200

export const goldenForm = v.pipe(
  v.object({
    question: line(maxQuestion, { missing: w.noQuestion, tooLong: w.longQuestion }),
    expected: v.union([v.picklist(['', 'nothing']), documentId], w.noDocument),
    words: v.pipe(v.optional(v.string(), ''), v.transform(oneLine), v.maxLength(maxWords, w.longWords)),
    within: v.pipe(v.string(w.noWithin), v.regex(/^([1-9]|10)$/, w.noWithin), v.transform(Number)),
    on_failure: v.picklist(['warn', 'block'], w.noOnFailure),
  }),
  v.forward(
    v.check(({ expected, words }) => expected !== '' || words !== '', w.noPassage),
    ['words'],
  ),
  v.forward(
    v.check(({ expected, words }) => expected !== 'nothing' || words === '', w.nothingAndWords),
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
  return { expected, words: words ?? '', ...kept, within: `${kept.within}` }
}

type Typed = Partial<Record<'question' | 'expected' | 'words' | 'within' | 'on_failure', string | undefined>>

interface Filled {
  documents: readonly Titled[]
  typed: Typed
  faults?: Faults | undefined
}

export function formView(agentId: string, { documents, typed, faults = {} }: Filled): Html {
  const { question = '', expected = '', words: passage = '', within = '3', on_failure = 'warn' } = typed
  const choices = [['', w.any], ['nothing', w.nothing], ...documents.map(({ id, title }) => [id, title])]
  const about = (name: string) =>
    html`aria-describedby="${faults[name] && `${name}-fault `}${name}-hint"${invalid(faults[name])}`
  const field = (name: string, label: string, input: Html, hint: string | false) =>
    html`<div class="field"><label for="${name}">${label}</label>
${input}${faultOf(name, faults[name])}${hint && html`<p id="${name}-hint" class="hint">${hint}</p>`}</div>`
  return html`<form class="panel sheet" method="post" data-draft>
${field('question', w.question, html`<input id="question" name="question" value="${shortened(question, maxQuestion)}" maxlength="${maxQuestion}" required ${about('question')}>`, w.questionHint)}
${field('expected', w.expected, html`<select id="expected" name="expected" ${about('expected')}>${options(choices, expected)}</select>`, [w.expectedHint, documents.length >= maxDocuments && w.onlyNewest(maxDocuments)].filter(Boolean).join(' '))}
${field('words', w.words, html`<input id="words" name="words" value="${shortened(passage, maxWords)}" maxlength="${maxWords}" ${about('words')}>`, w.wordsHint)}
${field('within', w.within, html`<input id="within" type="number" name="within" value="${shortened(within, 2)}" min="1" max="10" required ${about('within')}>`, w.withinHint)}
${field('on_failure', w.onFailure, html`<select id="on_failure" name="on_failure"${invalid(faults.on_failure)}>${options(Object.entries(w.options), on_failure)}</select>`, false)}
<div class="actions"><button>${w.submit}</button> <a class="button plain" href="${goldenPage(agentId)}">${words.cancel}</a></div></form>`
}

function options(choices: readonly (readonly string[])[], chosen: string) {
  return choices.map(
    ([value, name]) => html`<option value="${value}"${value === chosen && html` selected`}>${name}</option>`,
  )
}

import { html } from 'hono/html'
import type { KeptHit } from '../../../shared/database/tables.ts'
import type { KeptQuestion } from '../../../shared/questions/questions.ts'
import { icon } from '../icons.ts'
import { agentPage, type Html } from '../layout.ts'
import { askPath, correctionPath, goldenQuestionPath, newDocumentPath, withQuery } from '../paths.ts'
import type { State } from './inbox.ts'

export interface Asked extends Pick<KeptQuestion, 'question' | 'call_id' | 'status' | 'value' | 'asked_at'> {
  /** The ids of the group's questions. */
  ids: readonly string[]
  state: State
  /** The answer's document, and the address that shows the answer. Undefined without an answer, or if the document was deleted. */
  given: { hit: KeptHit; path: string } | undefined
  /** The query parameters of the list that shows it, or of its call's screen. */
  shown: Record<string, string | undefined>
  mayWrite: boolean
}

const states = {
  found: ['good', 'Answered'],
  uncertain: ['wait', 'Uncertain'],
  nothing: ['', 'Nothing found'],
  wrong: ['bad', 'Marked wrong'],
  since: ['good', 'Answered since a change'],
  kept: ['good', 'Kept as a check'],
} as const

/** Shows whether a caller's question was answered. */
export function stateView(state: State): Html {
  const [tone, label] = states[state]
  return html`<span class="state ${tone}">${label}</span>`
}

/** The keys of actions on the row that has the focus (questions.js). */
const keys: Record<string, string> = { 'Add an answer': 'a', 'Correct it': 'c' }
type Way = readonly [name: string, path: string]

/** The actions for a caller's question: the one that suits its state, and the rest in a menu. Viewers only look. */
export function waysView(agentId: string, asked: Asked): Html {
  const { ids, question, state, shown, mayWrite } = asked
  const label = (name: string) => html`aria-label="${name}: “${question}”"`
  const link = ([name, path]: Way, style = '') =>
    html`<a class="button ${style}" href="${path}" ${label(name)}${keys[name] && html` aria-keyshortcuts="${keys[name]}"`}>${name}</a>`
  const looking = lookingWays(agentId, asked)
  if (!mayWrite) return html`<div class="actions">${looking.map((way) => link(way, 'quiet'))}</div>`
  const ways = writingWays(agentId, asked)
  const first = state !== 'found' && state !== 'kept' && ways.shift()
  const action = (name: string) => withQuery(`${agentPage(agentId, 'questions')}/${name}`, shown)
  const isWrong = state === 'wrong'
  return html`<form class="actions" method="post" action="${action('wrong')}"><input type="hidden" name="ids" value="${ids.join()}">
${first && link(first, 'plain')}
${state !== 'nothing' && html`<button class="quiet" name="wrong" value="${`${!isWrong}`}" aria-pressed="${`${isWrong}`}" aria-keyshortcuts="w" ${label('This was wrong')}>This was wrong</button>`}
<button type="button" class="quiet" popovertarget="more-${ids[0]}" ${label('More')}>${icon('more')}</button><div class="menu" id="more-${ids[0]}" popover>${[
    ...ways,
    ...looking,
  ].map((way) =>
    link(way, 'quiet'),
  )}<button class="quiet danger" formaction="${action('delete')}" ${label('Delete')}>Delete</button></div></form>`
}

/** The best action comes first. A text is corrected only where it answered: any other may be about something else. */
function writingWays(agentId: string, { ids, question, call_id, status, value, asked_at, state, given }: Asked): Way[] {
  const at = asked_at.toISOString()
  const isAnswer = given !== undefined && (status === 'found' || state === 'since')
  const expected = isAnswer ? { document: given.hit.document_id, value: value?.text } : {}
  const asked = { ...(call_id !== null && { call: call_id, before: ids[0]! }), at }
  const add: Way = ['Add an answer', newDocumentPath(agentId, question, 'questions')]
  const keep: Way = ['Keep as a check', goldenQuestionPath(agentId, question, expected, asked)]
  const correct: Way[] = isAnswer ? [['Correct it', correctionPath(agentId, given.hit, question, at)]] : []
  return state === 'since' ? [keep, ...correct, add] : [...correct, add, keep]
}

function lookingWays(agentId: string, { question, given }: Asked): Way[] {
  const ask: Way = ['Ask again', askPath(agentId, { q: question })]
  return given ? [['Open the text', given.path], ask] : [ask]
}

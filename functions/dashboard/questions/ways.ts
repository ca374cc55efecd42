import { html } from 'hono/html'
import type { KeptQuestion } from '../../../shared/questions/questions.ts'
import { icon } from '../icons.ts'
import { agentPage, type Html } from '../layout.ts'
import { askPath, correctionPath, goldenQuestionPath, newDocumentPath, withQuery } from '../paths.ts'

export interface Asked extends Pick<KeptQuestion, 'question' | 'call_id' | 'status' | 'value' | 'asked_at'> {
  /** The ids of the group's questions. */
  ids: readonly string[]
  isWrong: boolean
  /** The answer's document, and the address that shows the answer. Undefined without an answer, or if the document was deleted. */
  given: { documentId: string; path: string } | undefined
  /** The query parameters of the list that shows it, or of its call's screen. */
  shown: Record<string, string | undefined>
}

const states = {
  found: ['good', 'Answered'],
  uncertain: ['wait', 'Uncertain'],
  nothing: ['', 'Nothing found'],
  wrong: ['bad', 'Marked wrong'],
} as const

/** Shows whether a caller's question was answered. */
export function stateView(status: KeptQuestion['status'], isWrong: boolean): Html {
  const [tone, label] = states[isWrong ? 'wrong' : status]
  return html`<span class="state ${tone}">${label}</span>`
}

/** The actions for a caller's question: the one that suits its state, and the rest in a menu. */
export function waysView(
  agentId: string,
  { ids, question, call_id, status, value, asked_at, isWrong, given, shown }: Asked,
): Html {
  const at = asked_at.toISOString()
  const add = ['Add an answer', newDocumentPath(agentId, question)] as const
  const correct = given ? [['Correct it', correctionPath(agentId, given.documentId, question, at)] as const] : []
  const ways = status === 'found' || isWrong ? [...correct, add] : [add, ...correct]
  const first = status !== 'found' || isWrong || !given ? ways.shift() : undefined
  const asked = { ...(call_id !== null && { call: call_id, before: ids[0]! }), at }
  const expected = status === 'found' && given ? { document: given.documentId, value: value?.text } : {}
  const others = [
    ...ways,
    ['Keep as a check', goldenQuestionPath(agentId, question, expected, asked)] as const,
    ...(given ? [['Open the text', given.path] as const] : []),
    ['Ask again', askPath(agentId, { q: question })] as const,
  ]
  const form = (action: string, button: Html) =>
    html`<form method="post" action="${withQuery(`${agentPage(agentId, 'questions')}/${action}`, shown)}"><input type="hidden" name="ids" value="${ids.join()}">${button}</form>`
  const label = (name: string) => html`aria-label="${name}: “${question}”"`
  return html`<div class="actions">${first && html`<a class="button plain" href="${first[1]}" ${label(first[0])}>${first[0]}</a>`}
${(isWrong || status !== 'nothing') && form('wrong', html`<button class="quiet" name="wrong" value="${`${!isWrong}`}" aria-pressed="${`${isWrong}`}" ${label('This was wrong')}>This was wrong</button>`)}
<button type="button" class="quiet" popovertarget="more-${ids[0]}" ${label('More')}>${icon('more')}</button><div class="menu" id="more-${ids[0]}" popover>${others.map(
    ([name, path]) => html`<a class="button quiet" href="${path}">${name}</a>`,
  )}${form('delete', html`<button class="quiet danger">Delete</button>`)}</div></div>`
}

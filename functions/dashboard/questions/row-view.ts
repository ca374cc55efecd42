import { html } from 'hono/html'
import type { KeptQuestion } from '../../../shared/questions/questions.ts'
import { heardView } from '../answer-view.ts'
import { icon } from '../icons.ts'
import { agentPage, type Html } from '../layout.ts'
import { askPath, callPath, correctionPath, newDocumentPath, withQuery } from '../paths.ts'
import { number } from '../sentences.ts'
import { ago } from '../times.ts'
import type { State } from './inbox.ts'
import type { Heard } from './past-passages.ts'

const maxExamples = 3

interface Asked {
  asked: KeptQuestion
  /** The questions of its group, itself included. */
  same: readonly Pick<KeptQuestion, 'id' | 'question' | 'asked_at'>[]
  state: State
  heard: Heard | undefined
  /** The passages that the agent was given. */
  why?: Html | false
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

/** Shows a caller's question, what the caller heard, and what to do about it. */
export function rowView(agentId: string, row: Asked): Html {
  const { asked, same, state, heard, why, shown } = row
  const { id, question, call_id } = asked
  const path = call_id === null || shown.call ? askPath(agentId, { q: question }) : callPath(agentId, call_id)
  const [tone, label] = states[state]
  const others = [...new Set(same.map(({ question }) => question.trim()))].filter((other) => other !== question.trim())
  const last = new Date(Math.max(...same.map(({ asked_at }) => asked_at.getTime())))
  return html`<li id="asked-${id}" data-row tabindex="-1"><div class="what"><p class="name"><a href="${path}">“${question}”</a> <span class="state ${tone}">${label}</span></p>
${others.length > 0 && html`<p class="hint">Also ${others.slice(0, maxExamples).map((other, i) => html`${i > 0 && ' · '}“${other}”`)}${others.length > maxExamples && ` · ${number(others.length - maxExamples)} more`}</p>`}
${heard && heardView(heard.text, heard.source)}
<p class="hint">${same.length === 1 ? 'Asked' : `Asked ${number(same.length)} times, last`} ${ago(last)}</p>${why}</div>
${waysView(agentId, row)}</li>`
}

/** The keys of actions on the row that has the focus (questions.js). */
const keys: Record<string, string> = { 'Add an answer': 'a', 'Correct it': 'c' }
type Way = readonly [name: string, path: string]

/** The actions for a caller's question: the one that suits its state, and the rest in a menu. Viewers only look. */
function waysView(agentId: string, row: Asked): Html {
  const { asked, same, state, shown, mayWrite } = row
  const { question } = asked
  const label = (name: string) => html`aria-label="${name}: “${question}”"`
  const link = ([name, path]: Way, style = '') =>
    html`<a class="button ${style}" href="${path}" ${label(name)}${keys[name] && html` aria-keyshortcuts="${keys[name]}"`}>${name}</a>`
  if (!mayWrite) return html`<div class="actions">${link(askingAgain(agentId, question), 'quiet')}</div>`
  const ways = writingWays(agentId, row)
  const first = state !== 'found' && state !== 'kept' && ways.shift()
  const action = (name: string) => withQuery(`${agentPage(agentId, 'questions')}/${name}`, shown)
  const isWrong = state === 'wrong'
  return html`<form class="actions" method="post" action="${action('wrong')}"><input type="hidden" name="ids" value="${same.map(({ id }) => id).join()}">
${first && link(first, 'plain')}
${state !== 'nothing' && html`<button class="quiet" name="wrong" value="${`${!isWrong}`}" aria-pressed="${`${isWrong}`}" aria-keyshortcuts="w" ${label('This was wrong')}>This was wrong</button>`}
<button type="button" class="quiet" popovertarget="more-${asked.id}" ${label('More')}>${icon('more')}</button><div class="menu" id="more-${asked.id}" popover>${ways.map((way) => link(way, 'quiet'))}<button class="quiet danger" formaction="${action('delete')}" ${label('Delete')}>Delete</button></div></form>`
}

/** The best action comes first. A text is corrected only where it answered: any other may be about something else. */
function writingWays(agentId: string, { asked, state, heard }: Asked): Way[] {
  const { question, status, asked_at } = asked
  const hit = heard?.source && (status === 'found' || state === 'since') ? heard.hit : undefined
  const add: Way = ['Add an answer', newDocumentPath(agentId, question, 'questions')]
  const ask = askingAgain(agentId, question)
  const correct: Way[] = hit ? [['Correct it', correctionPath(agentId, hit, question, asked_at.toISOString())]] : []
  return state === 'since' ? [ask, ...correct, add] : [...correct, add, ask]
}

/** Leads to Ask, where a right answer can be kept as a check. */
const askingAgain = (agentId: string, question: string): Way => ['Ask again', askPath(agentId, { q: question })]

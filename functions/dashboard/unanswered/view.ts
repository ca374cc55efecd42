import { html } from 'hono/html'
import { icon } from '../icons.ts'
import { agentPage, type Html } from '../layout.ts'
import { askPath, callPath, passagePath } from '../paths.ts'
import { number } from '../sentences.ts'
import { ago } from '../times.ts'
import { waysView } from '../ways.ts'
import { words } from '../words.ts'
import type { Group } from './grouping.ts'
import type { Unanswered, UnansweredQuestion } from './log.ts'

/** The rest appears as groups are removed. */
const maxGroups = 50
const maxExamples = 3

export const clearPath = (agentId: string) => `${agentPage(agentId, 'unanswered')}/clear`

export function unansweredView(agentId: string, { asked, unanswered, groups }: Unanswered): Html {
  const last = groups.reduce(
    (last, [...questions]) => questions.reduce((last, { id }) => (id > last ? id : last), last),
    '',
  )
  return html`<section class="unanswered"><p class="counts">${number(unanswered)} of ${number(asked)} ${asked === 1 ? 'question' : 'questions'} found little or nothing.</p>
<div class="panel"><ol class="rows">${groups.slice(0, maxGroups).map((group) => groupView(agentId, group, last))}</ol></div>
${groups.length > maxGroups && html`<p class="hint">${number(groups.length - maxGroups)} more will appear here as you remove some.</p>`}</section>`
}

function groupView(agentId: string, group: Group<UnansweredQuestion>, last: string): Html {
  const [{ id, question, call_id, first_hit: hit }] = group
  const others = [...new Set(group.map(({ question }) => question.trim()))].filter((other) => other !== question.trim())
  const newest = group.reduce((newest, { asked_at }) => (asked_at > newest ? asked_at : newest), group[0].asked_at)
  return html`<li><div class="what"><p class="name">“${question}”</p>
${others.length > 0 && html`<p class="others">Also ${others.slice(0, maxExamples).map((other, i) => html`${i > 0 && ' · '}“${other}”`)}${others.length > maxExamples && ` · ${number(others.length - maxExamples)} more`}</p>`}
<p class="hint">${group.length === 1 ? 'Asked once' : `Asked ${number(group.length)} times`}, ${group.length > 1 ? 'last' : ''} ${ago(newest)}</p></div>
<div class="actions">${waysView(agentId, {
    question,
    passage: hit ? passagePath(agentId, hit.document_id, hit.chunk_index) : undefined,
    found: hit?.document_id,
  })}
${call_id !== null && html`<a class="button quiet" href="${callPath(agentId, call_id)}" aria-label="Show call: “${question}”">Show call</a>`}
<a class="button quiet" href="${askPath(agentId, { q: question })}" aria-label="Ask again: “${question}”">Ask again</a>
<form method="post" action="${agentPage(agentId, 'unanswered')}/delete"><input type="hidden" name="first" value="${id}"><input type="hidden" name="last" value="${last}"><button class="quiet" aria-label="Remove “${question}” from the list">Remove</button></form></div></li>`
}

export function noneView(asked: number): Html {
  return html`<section class="empty">${icon(asked > 0 ? 'check' : 'clock')}<h2>${asked > 0 ? 'No unanswered questions' : 'No questions yet'}</h2>
<p>${
    asked > 0
      ? asked === 1
        ? 'Your agent found something for the one question.'
        : `Your agent found something for all ${number(asked)} questions.`
      : 'Questions that your agent finds little for will appear here.'
  }</p></section>`
}

export function clearQuestion(agentId: string, asked: number): Html {
  return html`<section class="panel sheet"><p>${asked === 1 ? 'The one question' : `All ${number(asked)} questions`} of the last 30 days will be deleted, including the answered ones. This can’t be undone.</p>
<form class="actions" method="post" action="${clearPath(agentId)}"><button class="danger">Delete all</button><a class="button plain" href="${agentPage(agentId, 'unanswered')}">${words.cancel}</a></form></section>`
}

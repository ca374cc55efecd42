import { html } from 'hono/html'
import { icon } from '../icons.ts'
import { agentPage, type Html } from '../layout.ts'
import { askPath, callPath, passagePath } from '../paths.ts'
import { ago } from '../times.ts'
import { waysView } from '../ways.ts'
import { words } from '../words.ts'
import type { Group } from './grouping.ts'
import type { Unanswered, UnansweredQuestion } from './log.ts'

const w = words.unanswered

/** The rest appears as groups are removed. */
const maxGroups = 50
const maxExamples = 3

export const clearPath = (agentId: string) => `${agentPage(agentId, 'unanswered')}/clear`

export function unansweredView(agentId: string, { asked, unanswered, groups }: Unanswered): Html {
  const last = groups.reduce(
    (last, [...questions]) => questions.reduce((last, { id }) => (id > last ? id : last), last),
    '',
  )
  return html`<section class="unanswered"><p class="counts">${w.counts(unanswered, asked)}</p>
<div class="panel"><ol class="rows">${groups.slice(0, maxGroups).map((group) => groupView(agentId, group, last))}</ol></div>
${groups.length > maxGroups && html`<p class="hint">${w.more(groups.length - maxGroups)}</p>`}</section>`
}

function groupView(agentId: string, group: Group<UnansweredQuestion>, last: string): Html {
  const [{ id, question, call_id, first_hit: hit }] = group
  const others = [...new Set(group.map(({ question }) => question.trim()))].filter((other) => other !== question.trim())
  const newest = group.reduce((newest, { asked_at }) => (asked_at > newest ? asked_at : newest), group[0].asked_at)
  return html`<li><div class="what"><p class="name">“${question}”</p>
${others.length > 0 && html`<p class="others">${w.also} ${others.slice(0, maxExamples).map((other, i) => html`${i > 0 && ' · '}“${other}”`)}${others.length > maxExamples && ` · ${w.andMore(others.length - maxExamples)}`}</p>`}
<p class="hint">${w.times(group.length)}, ${group.length > 1 ? w.lastTime : ''} ${ago(newest)}</p></div>
<div class="actions">${waysView(agentId, {
    question,
    passage: hit ? passagePath(agentId, hit.document_id, hit.chunk_index) : undefined,
    found: hit?.document_id,
  })}
${call_id !== null && html`<a class="button quiet" href="${callPath(agentId, call_id)}" aria-label="${w.callOf(question)}">${w.call}</a>`}
<a class="button quiet" href="${askPath(agentId, { q: question })}" aria-label="${w.askOf(question)}">${w.ask}</a>
<form method="post" action="${agentPage(agentId, 'unanswered')}/delete"><input type="hidden" name="first" value="${id}"><input type="hidden" name="last" value="${last}"><button class="quiet" aria-label="${w.removeOf(question)}">${w.remove}</button></form></div></li>`
}

export function noneView(asked: number): Html {
  return html`<section class="empty">${icon(asked > 0 ? 'check' : 'clock')}<h2>${asked > 0 ? w.allAnswered : w.nothingYet}</h2>
<p>${asked > 0 ? w.allAnsweredLead(asked) : w.nothingYetLead}</p></section>`
}

export function clearQuestion(agentId: string, asked: number): Html {
  return html`<section class="panel sheet"><p>${w.clearLead(asked)}</p>
<form class="actions" method="post" action="${clearPath(agentId)}"><button class="danger">${w.clearSubmit}</button><a class="button plain" href="${agentPage(agentId, 'unanswered')}">${words.cancel}</a></form></section>`
}

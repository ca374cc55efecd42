import { html } from 'hono/html'
import type { TrashedCall } from '../../../shared/organizations/calls.ts'
import { icon } from '../icons.ts'
import type { Html } from '../layout.ts'
import { callPath } from '../paths.ts'
import { localTime } from '../times.ts'
import { words } from '../words.ts'

const { calls: w } = words

export function trash(calls: TrashedCall[], { next, ...may }: MayDo & { next: string | undefined }): Html {
  return html`<section class="panel"><ul class="rows">${calls.map((call) => row(call, may))}</ul></section>
${next ? html`<p class="more"><a href="${next}">${words.older}</a></p>` : ''}`
}

interface MayDo {
  mayChange: boolean
  mayReadQuestions: boolean
}

function row(call: TrashedCall, { mayChange, mayReadQuestions }: MayDo): Html {
  const { id, agent_id, agent_name } = call
  return html`<li><div class="what">${facts(call)}</div>
<div class="actions">${mayReadQuestions && html`<a class="button quiet" href="${callPath(agent_id, id)}" aria-label="${words.call.questionsOf(agent_name)}">${words.call.questions}</a>`}
${
  mayChange &&
  html`<form method="post" action="/dashboard/calls/${call.id}/restore"><button class="plain" aria-label="${w.restoreOf(call.agent_name)}">${w.restore}</button></form>
<a class="button quiet danger" href="/dashboard/calls/${call.id}/delete">${w.purge}</a>`
}</div></li>`
}

function facts({ agent_name, created_at, deleted_at }: TrashedCall): Html {
  return html`<p class="name"><span>${w.began} ${localTime(created_at)}</span></p>
<p class="hint">${agent_name} · ${w.deleted} ${localTime(deleted_at)}</p>`
}

export function emptyTrash({ isAutomatic, isFirst }: { isAutomatic: boolean; isFirst: boolean }): Html {
  return html`<section class="empty">${icon('calls')}<h2>${isFirst ? w.none : w.noMore}</h2>
<p>${isAutomatic ? w.noneAutomatic : w.noneLead}</p>
<p><a href="/dashboard/settings">${w.toSettings}</a></p></section>`
}

export function purgeQuestion(call: TrashedCall, back: string): Html {
  return html`<section class="panel sheet">${facts(call)}
<p>${w.purgeLead}</p>
<form class="actions" method="post"><button class="danger">${w.purgeSubmit}</button><a class="button plain" href="${back}">${words.cancel}</a></form></section>`
}

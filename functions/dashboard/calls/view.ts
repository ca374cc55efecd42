import { html } from 'hono/html'
import type { TrashedCall } from '../../../shared/organizations/calls.ts'
import { icon } from '../icons.ts'
import type { Html } from '../layout.ts'
import { callPath } from '../paths.ts'
import { localTime } from '../times.ts'
import { words } from '../words.ts'

export function trash(calls: TrashedCall[], { next, ...may }: MayDo & { next: string | undefined }): Html {
  return html`<section class="panel"><ul class="rows">${calls.map((call) => row(call, may))}</ul></section>
${next ? html`<p class="more"><a href="${next}">Older</a></p>` : ''}`
}

interface MayDo {
  mayChange: boolean
  mayReadQuestions: boolean
}

function row(call: TrashedCall, { mayChange, mayReadQuestions }: MayDo): Html {
  const { id, agent_id, agent_name } = call
  return html`<li><div class="what">${facts(call)}</div>
<div class="actions">${mayReadQuestions && html`<a class="button quiet" href="${callPath(agent_id, id)}" aria-label="Show the questions from the call with ${agent_name}">Questions</a>`}
${
  mayChange &&
  html`<form method="post" action="/dashboard/calls/${call.id}/restore"><button class="plain" aria-label="Restore the call with ${call.agent_name}">Restore</button></form>
<a class="button quiet danger" href="/dashboard/calls/${call.id}/delete">Delete permanently</a>`
}</div></li>`
}

function facts({ agent_name, created_at, deleted_at }: TrashedCall): Html {
  return html`<p class="name"><span>Call on ${localTime(created_at)}</span></p>
<p class="hint">${agent_name} · deleted ${localTime(deleted_at)}</p>`
}

export function emptyTrash({ isAutomatic, isFirst }: { isAutomatic: boolean; isFirst: boolean }): Html {
  return html`<section class="empty">${icon('calls')}<h2>${isFirst ? 'No deleted calls' : 'No more deleted calls'}</h2>
<p>${isAutomatic ? 'When a call is completed, it’s moved here, where you can restore it or delete it permanently.' : 'Completed calls are kept. In the settings, you can have them deleted automatically.'}</p>
<p><a href="/dashboard/settings">Go to settings</a></p></section>`
}

export function purgeQuestion(call: TrashedCall, back: string): Html {
  return html`<section class="panel sheet">${facts(call)}
<p>It will be deleted immediately, for everyone. This can’t be undone.</p>
<form class="actions" method="post"><button class="danger">Delete permanently</button><a class="button plain" href="${back}">${words.cancel}</a></form></section>`
}

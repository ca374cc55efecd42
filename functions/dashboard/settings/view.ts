import { html } from 'hono/html'
import type { Key } from '../../../shared/organizations/keys.ts'
import type { Usage } from '../../../shared/organizations/limits.ts'
import { type AgentUsage, maxDocumentsPerAgent } from '../../../shared/organizations/usage.ts'
import { permissions } from '../../../shared/permissions.ts'
import type { Html } from '../layout.ts'
import { settingsPath } from '../paths.ts'
import { counted, number } from '../sentences.ts'
import { localDay } from '../times.ts'
import { words } from '../words.ts'

export function autoDelete(isOn: boolean, mayChange: boolean): Html {
  return html`<section class="panel"><div class="head"><h2>Delete completed calls</h2><p class="state ${isOn ? 'good' : ''}">${isOn ? 'On' : 'Off'}</p></div>
<p>${isOn ? 'Completed calls are moved to the deleted calls.' : 'Completed calls are kept.'}</p>
<p class="hint">A change applies to calls completed after it. Deleted calls can be restored until you delete them permanently.</p>
${
  mayChange &&
  html`<form method="post" action="${settingsPath}/auto-delete"><input type="hidden" name="on" value="${isOn ? 'false' : 'true'}">
<button class="plain">${isOn ? 'Turn off' : 'Turn on'}</button></form>`
}</section>`
}

/** Turning it off deletes, so it asks twice. */
export function keepRevisions(isOn: boolean, mayChange: boolean): Html {
  const { revisions: w } = words.settings
  const form = html`<form method="post" action="${settingsPath}/revisions"><input type="hidden" name="on" value="${isOn ? 'false' : 'true'}">
<button class="${isOn ? 'danger' : 'plain'}">${isOn ? w.turnOff : 'Keep earlier texts'}</button></form>`
  return html`<section class="panel"><div class="head"><h2>Keep earlier texts of documents</h2><p class="state ${isOn && 'good'}">${isOn ? 'On' : 'Off'}</p></div>
<p>When a document is changed, the text that callers got answers from is kept for a year, at most 20 for each document. Its history shows who changed what, and restores it.</p>
${mayChange && (isOn ? html`<details><summary>${w.turnOff}</summary><p>The earlier texts of all your documents are deleted within minutes. This can’t be undone. What callers get answers from stays.</p>${form}</details>` : form)}</section>`
}

export function keyList(keys: Key[], { mayChange, ownId }: { mayChange: boolean; ownId: string }): Html {
  const active = keys.filter(({ state }) => state === 'active')
  const ended = keys.filter(({ state }) => state !== 'active')
  return html`<section class="panel"><div class="head"><h2>Keys</h2>
${mayChange && html`<a class="button plain" href="${settingsPath}/keys/new">New key</a>`}</div>
<p class="hint">People sign in with a key; voice platforms and other programs use one, too. Give each its own. <a href="/v1/docs">API reference</a></p>
<ul class="rows">${active.map((key) => keyRow(key, { mayChange, isOwn: key.id === ownId }))}</ul>
${
  ended.length > 0 &&
  html`<details><summary>${counted(ended.length, 'inactive key')}</summary>
<ul class="rows">${ended.map((key) => keyRow(key, { mayChange: false, isOwn: false }))}</ul></details>`
}</section>`
}

function keyRow(key: Key, { mayChange, isOwn }: { mayChange: boolean; isOwn: boolean }): Html {
  return html`<li><div class="what"><p class="name">${key.name}${isOwn ? html` <span class="state good">You’re signed in with this key</span>` : ''}</p>
<p class="hint">${
    permissions.every((each) => key.permissions.includes(each))
      ? 'All permissions'
      : key.permissions.map((each) => words.permissions[each]).join(' · ')
  }</p>
<p class="hint">Created ${localDay(key.created_at)} · ${keyEnd(key)}</p></div>
${mayChange && html`<a class="button quiet danger" href="${settingsPath}/keys/${key.id}/revoke" aria-label="Revoke ${key.name}">Revoke</a>`}</li>`
}

function keyEnd({ state, expires_at, revoked_at }: Key): Html {
  if (state === 'revoked' && revoked_at) return html`revoked ${localDay(revoked_at)}`
  if (!expires_at) return html`doesn’t expire`
  return html`${state === 'expired' ? 'expired' : 'expires'} ${localDay(expires_at)}`
}

export function usage(agents: AgentUsage[], { limits, use }: Usage): Html {
  const { usage: w } = words.settings
  return html`<section class="panel"><h2>Usage and limits</h2>
${agents.length === 0 ? html`<p class="hint">No agents yet.</p>` : ''}
${agents.map(
  ({ name, document_count, chunk_count, file_bytes }) =>
    html`<div class="meter"><span>${name}</span><span class="hint">${number(document_count)} of ${number(maxDocumentsPerAgent)} documents · ${counted(chunk_count, 'passage')}${file_bytes > 0 ? ` · ${w.files(file_bytes / 1_000_000)}` : ''}</span>
<progress value="${document_count}" max="${maxDocumentsPerAgent}" aria-label="Documents of ${name}"></progress></div>`,
)}
${meter('Text processed today', use.tokens_today, limits.tokens_per_day, w.tokensOf)}
<p class="hint">Once these tokens are used up, new texts wait until the next day, which starts at 00:00 UTC. Documents that are ready stay ready.</p>
${meter('Documents being processed', use.documents_in_pipeline, limits.documents_in_pipeline, w.pipelineOf)}</section>`
}

function meter(name: string, used: number, max: number, figure: (used: number, max: number) => string): Html {
  return html`<div class="meter"><span>${name}</span><span class="hint">${figure(used, max)}</span>
<progress value="${Math.min(used, max)}" max="${Math.max(1, max)}" aria-label="${name}"></progress></div>`
}

import { html } from 'hono/html'
import type { Key } from '../../../shared/organizations/keys.ts'
import type { Usage } from '../../../shared/organizations/limits.ts'
import { type AgentUsage, maxDocumentsPerAgent } from '../../../shared/organizations/usage.ts'
import { permissions } from '../../../shared/permissions.ts'
import type { Html } from '../layout.ts'
import { settingsPath } from '../paths.ts'
import { localDay } from '../times.ts'
import { words } from '../words.ts'

export function autoDelete(isOn: boolean, mayChange: boolean): Html {
  const { autoDelete: w } = words.settings
  return html`<section class="panel"><div class="head"><h2>${w.title}</h2><p class="state ${isOn ? 'good' : ''}">${isOn ? w.on : w.off}</p></div>
<p>${isOn ? w.leadOn : w.leadOff}</p>
<p class="hint">${w.hint}</p>
${
  mayChange &&
  html`<form method="post" action="${settingsPath}/auto-delete"><input type="hidden" name="on" value="${isOn ? 'false' : 'true'}">
<button class="plain">${isOn ? w.turnOff : w.turnOn}</button></form>`
}</section>`
}

/** Turning it off deletes, so it asks twice. */
export function keepRevisions(isOn: boolean, mayChange: boolean): Html {
  const { revisions: w } = words.settings
  const form = html`<form method="post" action="${settingsPath}/revisions"><input type="hidden" name="on" value="${isOn ? 'false' : 'true'}">
<button class="${isOn ? 'danger' : 'plain'}">${isOn ? w.turnOff : w.turnOn}</button></form>`
  return html`<section class="panel"><div class="head"><h2>${w.title}</h2><p class="state ${isOn && 'good'}">${isOn ? w.on : w.off}</p></div>
<p>${w.what}</p>
${mayChange && (isOn ? html`<details><summary>${w.turnOff}</summary><p>${w.consequence}</p>${form}</details>` : form)}</section>`
}

export function keyList(keys: Key[], { mayChange, ownId }: { mayChange: boolean; ownId: string }): Html {
  const { keys: w } = words.settings
  const active = keys.filter(({ state }) => state === 'active')
  const ended = keys.filter(({ state }) => state !== 'active')
  return html`<section class="panel"><div class="head"><h2>${w.title}</h2>
${mayChange && html`<a class="button plain" href="${settingsPath}/keys/new">${w.add}</a>`}</div>
<p class="hint">${w.lead} <a href="/v1/docs">${words.reference}</a></p>
<ul class="rows">${active.map((key) => keyRow(key, { mayChange, isOwn: key.id === ownId }))}</ul>
${
  ended.length > 0 &&
  html`<details><summary>${w.ended(ended.length)}</summary>
<ul class="rows">${ended.map((key) => keyRow(key, { mayChange: false, isOwn: false }))}</ul></details>`
}</section>`
}

function keyRow(key: Key, { mayChange, isOwn }: { mayChange: boolean; isOwn: boolean }): Html {
  const { keys: w } = words.settings
  return html`<li><div class="what"><p class="name">${key.name}${isOwn ? html` <span class="state good">${w.own}</span>` : ''}</p>
<p class="hint">${
    permissions.every((each) => key.permissions.includes(each))
      ? w.mayAll
      : key.permissions.map((each) => words.permissions[each]).join(' · ')
  }</p>
<p class="hint">${w.made} ${localDay(key.created_at)} · ${keyEnd(key)}</p></div>
${mayChange && html`<a class="button quiet danger" href="${settingsPath}/keys/${key.id}/revoke" aria-label="${w.revokeOf(key.name)}">${w.revoke}</a>`}</li>`
}

function keyEnd({ state, expires_at, revoked_at }: Key): Html {
  const { keys: w } = words.settings
  if (state === 'revoked' && revoked_at) return html`${w.wasRevoked} ${localDay(revoked_at)}`
  if (!expires_at) return html`${w.neverExpires}`
  return html`${state === 'expired' ? w.hasExpired : w.expires} ${localDay(expires_at)}`
}

export function usage(agents: AgentUsage[], { limits, use }: Usage): Html {
  const { usage: w } = words.settings
  return html`<section class="panel"><h2>${w.title}</h2>
${agents.length === 0 ? html`<p class="hint">${w.none}</p>` : ''}
${agents.map(
  ({ name, document_count, chunk_count, file_bytes }) =>
    html`<div class="meter"><span>${name}</span><span class="hint">${w.documents(document_count, maxDocumentsPerAgent)} · ${w.chunks(chunk_count)}${file_bytes > 0 ? ` · ${w.files(file_bytes / 1_000_000)}` : ''}</span>
<progress value="${document_count}" max="${maxDocumentsPerAgent}" aria-label="${w.documentsOf(name)}"></progress></div>`,
)}
${meter(w.tokens, use.tokens_today, limits.tokens_per_day, w.tokensOf)}
<p class="hint">${w.tokensHint}</p>
${meter(w.pipeline, use.documents_in_pipeline, limits.documents_in_pipeline, w.pipelineOf)}</section>`
}

function meter(name: string, used: number, max: number, figure: (used: number, max: number) => string): Html {
  return html`<div class="meter"><span>${name}</span><span class="hint">${figure(used, max)}</span>
<progress value="${Math.min(used, max)}" max="${Math.max(1, max)}" aria-label="${name}"></progress></div>`
}

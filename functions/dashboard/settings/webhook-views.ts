import { html } from 'hono/html'
import type { DeliveryRow } from '../../../shared/webhooks/deliveries.ts'
import { maxUrlCharacters, type WebhookRow, webhookEvents } from '../../../shared/webhooks/webhooks.ts'
import { type Faults, faultOf, invalid, shortened } from '../forms.ts'
import { icon } from '../icons.ts'
import type { Html } from '../layout.ts'
import { settingsPath } from '../paths.ts'
import { counted } from '../sentences.ts'
import { ago } from '../times.ts'
import { words } from '../words.ts'

const { webhooks: w } = words.settings
export const webhooksPath = `${settingsPath}/webhooks`

const stateOf = ({ status }: WebhookRow) =>
  html`<span class="state ${status === 'enabled' ? 'good' : 'bad'}">${w.states[status]}</span>`

export function webhookList(webhooks: WebhookRow[], mayChange: boolean): Html {
  return html`<section class="panel"><div class="head"><h2>Webhooks</h2>
${mayChange && html`<a class="button plain" href="${webhooksPath}/new">New webhook</a>`}</div>
<p class="hint">Cuecard calls your programs when a document is ready or fails, so that they don’t have to ask.</p>
${webhooks.length === 0 && html`<p>No webhooks yet.</p>`}
<ul class="rows">${webhooks.map(
    (webhook) => html`<li><div class="what"><p class="name">${
      mayChange ? html`<a href="${webhooksPath}/${webhook.id}">${webhook.url}</a>` : webhook.url
    } ${stateOf(webhook)}</p>
<p class="hint">${webhook.events.map((event) => w.names[event]).join(' · ')}</p></div></li>`,
  )}</ul></section>`
}

export function webhookForm(
  { url = '' }: Readonly<Record<string, string | undefined>> = {},
  faults: Faults = {},
  chosen: readonly string[] = ['document.completed', 'document.failed'],
): Html {
  return html`<form class="panel sheet" method="post" data-draft>
<div class="field"><label for="url">Address</label>
<input id="url" name="url" type="url" value="${shortened(url, maxUrlCharacters)}" maxlength="${maxUrlCharacters}" required aria-describedby="url-hint${faults.url ? ' url-fault' : ''}"${invalid(faults.url)}>
${faultOf('url', faults.url)}<p id="url-hint" class="hint">It begins with https:// and can be reached from the internet.</p></div>
<fieldset class="field"><legend>Events</legend>
${webhookEvents.map(
  (event) =>
    html`<label><input type="checkbox" name="events" value="${event}"${chosen.includes(event) ? html` checked` : ''}><span>${w.names[event]}</span></label>`,
)}
${faultOf('events', faults.events)}</fieldset>
<div class="actions"><button>Create webhook</button><a class="button plain" href="${settingsPath}">${words.cancel}</a></div></form>`
}

export function madeSecret({ id, secret }: { id: string; secret: string }): Html {
  return html`<section class="panel sheet"><p class="notice warn">${icon('alert')} Copy the secret now. It isn’t shown again.</p>
<div class="secret"><code id="secret">${secret}</code>
<button type="button" class="plain" data-copy="secret" data-copied="Copied" hidden>Copy</button></div>
<p class="hint">Your program verifies the signatures of events with it. After a rotation, the previous secret works for 24 hours.</p>
<p><a class="button" href="${webhooksPath}/${id}">I’ve saved it</a></p></section>`
}

export function webhookPanel(webhook: WebhookRow, deliveries: DeliveryRow[]): Html[] {
  const path = `${webhooksPath}/${webhook.id}`
  const form = (action: string, label: string, style = 'plain') =>
    html`<form method="post" action="${path}/${action}"><button class="${style}">${label}</button></form>`
  const isEnabled = webhook.status === 'enabled'
  return [
    html`<section class="panel"><p>${stateOf(webhook)} ${webhook.disabled_reason && w.reasons[webhook.disabled_reason]}</p>
<p class="hint">${webhook.events.map((event) => w.names[event]).join(' · ')}</p>
${isEnabled ? form('test', 'Send a test event') : form('enable', 'Turn on')}
<details><summary>${w.rotate}</summary><p>The present secret works for another 24 hours.</p>${form('rotate', w.rotate)}</details>
<details><summary>Delete webhook</summary><p>It receives no more events, and those that still wait for it are dropped.</p>${form('delete', 'Delete webhook', 'danger')}</details></section>`,
    html`<section class="panel"><h2>Last events</h2>
${deliveries.length === 0 && html`<p>Nothing was sent in the last 30 days.</p>`}
<ul class="rows">${deliveries.map(
      (delivery) => html`<li><div class="what"><p class="name">${w.names[delivery.type] ?? delivery.type}
<span class="state ${{ pending: '', delivered: 'good', failed: 'bad' }[delivery.status]}">${w.status[delivery.status]}</span></p>
<p class="hint">${ago(delivery.created_at)} · ${counted(delivery.attempts, 'attempt')}${delivery.error && html` · ${delivery.error}`}</p></div>
${isEnabled && form(`deliveries/${delivery.id}/replay`, 'Send again', 'quiet')}</li>`,
    )}</ul></section>`,
  ]
}

import { html } from 'hono/html'
import type { DeliveryRow } from '../../../shared/webhooks/deliveries.ts'
import { maxUrlCharacters, type WebhookRow, webhookEvents } from '../../../shared/webhooks/webhooks.ts'
import { type Faults, faultOf, invalid, shortened } from '../forms.ts'
import { icon } from '../icons.ts'
import type { Html } from '../layout.ts'
import { settingsPath } from '../paths.ts'
import { ago } from '../times.ts'
import { words } from '../words.ts'

const { webhooks: w } = words.settings
export const webhooksPath = `${settingsPath}/webhooks`

const stateOf = ({ status }: WebhookRow) =>
  html`<span class="state ${status === 'enabled' ? 'good' : 'bad'}">${w.states[status]}</span>`

export function webhookList(webhooks: WebhookRow[], mayChange: boolean): Html {
  return html`<section class="panel"><div class="head"><h2>${w.title}</h2>
${mayChange && html`<a class="button plain" href="${webhooksPath}/new">${w.add}</a>`}</div>
<p class="hint">${w.lead}</p>
${webhooks.length === 0 && html`<p>${w.none}</p>`}
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
<div class="field"><label for="url">${w.url}</label>
<input id="url" name="url" type="url" value="${shortened(url, maxUrlCharacters)}" maxlength="${maxUrlCharacters}" required aria-describedby="url-hint${faults.url ? ' url-fault' : ''}"${invalid(faults.url)}>
${faultOf('url', faults.url)}<p id="url-hint" class="hint">${w.urlHint}</p></div>
<fieldset class="field"><legend>${w.events}</legend>
${webhookEvents.map(
  (event) =>
    html`<label><input type="checkbox" name="events" value="${event}"${chosen.includes(event) ? html` checked` : ''}><span>${w.names[event]}</span></label>`,
)}
${faultOf('events', faults.events)}</fieldset>
<div class="actions"><button>${w.submit}</button><a class="button plain" href="${settingsPath}">${words.cancel}</a></div></form>`
}

export function madeSecret({ id, secret }: { id: string; secret: string }): Html {
  return html`<section class="panel sheet"><p class="notice warn">${icon('alert')} ${w.once}</p>
<div class="secret"><code id="secret">${secret}</code>
<button type="button" class="plain" data-copy="secret" data-copied="${words.copied}" hidden>${words.copy}</button></div>
<p class="hint">${w.onceHint}</p>
<p><a class="button" href="${webhooksPath}/${id}">${w.saved}</a></p></section>`
}

export function webhookPanel(webhook: WebhookRow, deliveries: DeliveryRow[]): Html[] {
  const path = `${webhooksPath}/${webhook.id}`
  const form = (action: string, label: string, style = 'plain') =>
    html`<form method="post" action="${path}/${action}"><button class="${style}">${label}</button></form>`
  const isEnabled = webhook.status === 'enabled'
  return [
    html`<section class="panel"><p>${stateOf(webhook)} ${webhook.disabled_reason && w.reasons[webhook.disabled_reason]}</p>
<p class="hint">${webhook.events.map((event) => w.names[event]).join(' · ')}</p>
${isEnabled ? form('test', w.test) : form('enable', w.enable)}
<details><summary>${w.rotate}</summary><p>${w.rotateLead}</p>${form('rotate', w.rotate)}</details>
<details><summary>${w.remove}</summary><p>${w.removeLead}</p>${form('delete', w.remove, 'danger')}</details></section>`,
    html`<section class="panel"><h2>${w.deliveries}</h2>
${deliveries.length === 0 && html`<p>${w.noDeliveries}</p>`}
<ul class="rows">${deliveries.map(
      (delivery) => html`<li><div class="what"><p class="name">${w.names[delivery.type] ?? delivery.type}
<span class="state ${{ pending: '', delivered: 'good', failed: 'bad' }[delivery.status]}">${w.status[delivery.status]}</span></p>
<p class="hint">${ago(delivery.created_at)} · ${w.attempts(delivery.attempts)}${delivery.error && html` · ${delivery.error}`}</p></div>
${isEnabled && form(`deliveries/${delivery.id}/replay`, w.replay, 'quiet')}</li>`,
    )}</ul></section>`,
  ]
}

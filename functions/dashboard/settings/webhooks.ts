import { html } from 'hono/html'
import * as v from 'valibot'
import { config } from '../../../shared/config.ts'
import { isAllowedUrl } from '../../../shared/outbound/addresses.ts'
import { type DeliveryRow, listDeliveries, replayDelivery, sendTest } from '../../../shared/webhooks/deliveries.ts'
import { testEvent, type WebhookEvent, webhookEvents } from '../../../shared/webhooks/events.ts'
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  maxUrlCharacters,
  rotateSecret,
  updateWebhook,
  type WebhookRow,
  type WebhookScope,
} from '../../../shared/webhooks/webhooks.ts'
import { isError } from '../error-view.ts'
import { fieldsOf, type Sent, sheetForm } from '../form-view.ts'
import { anyOf, line } from '../forms.ts'
import type { Html, View } from '../layout.ts'
import { settingsPath } from '../paths.ts'
import type { Screens } from '../screen.ts'
import { counted } from '../sentences.ts'
import { ago } from '../times.ts'
import { secretView } from './keys.ts'

const urlMissing = 'Enter an address that begins with https:// and can be reached from the internet.'
export const names: Record<string, string> = {
  'document.completed': 'A document is ready',
  'document.failed': 'A document failed',
  'document.waiting': 'A document isn’t ready after 10 minutes',
  'golden_question.failed': 'A check fails',
  'source.failed': 'A website couldn’t be read',
  'questions.unanswered': 'Questions without an answer, once a day',
  'hours.missing_for_holiday': 'No text says what you do on a public holiday, two weeks before',
  [testEvent]: 'Test event',
} satisfies Record<WebhookEvent | typeof testEvent, string>
const reasons = {
  requested: 'It was turned off.',
  gone: 'It was turned off because its receiver answered 410 Gone.',
  failing: 'It was turned off because every event failed for five days.',
}
const statuses = { pending: ['Waiting', ''], delivered: ['Delivered', 'good'], failed: ['Failed', 'bad'] } as const
const webhooksPath = `${settingsPath}/webhooks` as const
const one = `${webhooksPath}/:webhookId` as const
const within = { place: 'settings', crumbs: [] } as const
const shownDeliveries = 20

const newForm = v.object({
  url: v.pipe(
    line(maxUrlCharacters, { missing: urlMissing, tooLong: 'An address can have at most 2,000 characters.' }),
    v.check((url) => isAllowedUrl(url, { isLoopbackAllowed: config().ALLOW_LOOPBACK }), urlMissing),
  ),
  events: v.pipe(
    anyOf(webhookEvents, 'Choose at least one event.'),
    v.transform((names) => webhookEvents.filter((name) => names.includes(name))),
  ),
})

export function addWebhookScreens(screens: Screens) {
  const permission = 'organization:write'
  const newView = (sent: Sent = { chosen: { events: ['document.completed', 'document.failed'] } }) => ({
    ...within,
    title: 'New webhook',
    lead: 'Events are sent to its address as signed POST requests. You’ll see the secret that verifies them only once.',
    content: webhookForm(sent),
  })
  screens
    .get(`${webhooksPath}/new`, { permission }, () => newView())
    .post(`${webhooksPath}/new`, { permission, form: newForm }, async ({ db, session, form }) => {
      if (!form.isValid) return { ...newView(form), status: 422 }
      try {
        return madeSecret(await createWebhook(db, session.organizationId, form.values))
      } catch (error) {
        if (!isError(error, 'validation_failed')) throw error
        const faults = { url: 'You have 10 webhooks, the maximum. Delete one that you no longer need.' }
        return { ...newView({ ...form, faults }), status: 422 }
      }
    })
    .get(one, { permission }, async ({ db, scope }) => {
      const [webhook, { deliveries }] = await Promise.all([
        getWebhook(db, scope),
        listDeliveries(db, scope, { limit: shownDeliveries }),
      ])
      return { ...within, title: webhook.url, content: webhookPanel(webhook, deliveries) }
    })
    .post(`${one}/rotate`, { permission }, async ({ db, scope }) => madeSecret(await rotateSecret(db, scope)))
    .post(`${one}/delete`, { permission }, async ({ db, scope }) => {
      await deleteWebhook(db, scope)
      return { redirect: settingsPath, flash: { text: 'The webhook was deleted.' } }
    })
    .post(`${one}/enable`, { permission }, ({ db, scope }) => {
      const enabled = updateWebhook(db, scope, { status: 'enabled' })
      return done(scope, enabled, 'The webhook is on again. Events that were waiting for it are sent now.')
    })
    .post(`${one}/test`, { permission }, ({ db, scope }) =>
      done(scope, sendTest(db, scope), 'The test event is on its way. Reload the page to see the result.'),
    )
    .post(`${one}/deliveries/:deliveryId/replay`, { permission }, ({ db, scope }) =>
      done(scope, replayDelivery(db, scope, scope.deliveryId), 'The event is being sent again.'),
    )
}

async function done({ webhookId }: WebhookScope, act: Promise<unknown>, text: string) {
  const redirect = `${webhooksPath}/${webhookId}`
  try {
    await act
    return { redirect, flash: { text } }
  } catch (error) {
    if (!isError(error, 'webhook_disabled')) throw error
    return { redirect, flash: { text: 'Turn the webhook on first.', isError: true } }
  }
}

export function webhookList(webhooks: WebhookRow[], mayChange: boolean): Html {
  return html`<div class="head"><h3>Webhooks</h3>
${mayChange && html`<a class="button plain" href="${webhooksPath}/new">New webhook</a>`}</div>
<p class="hint">Cuecard calls your programs when a document is ready or fails, so that they don’t have to ask.</p>
${webhooks.length === 0 && html`<p>No webhooks yet.</p>`}
<ul class="rows">${webhooks.map(
    (webhook) => html`<li><div class="what"><p class="name">${
      mayChange ? html`<a href="${webhooksPath}/${webhook.id}">${webhook.url}</a>` : webhook.url
    } ${stateOf(webhook)}</p>
<p class="hint">${webhook.events.map((event) => names[event]).join(' · ')}</p></div></li>`,
  )}</ul>`
}

function webhookForm(sent: Sent): Html {
  const { line, boxes } = fieldsOf(sent)
  const hint = 'It begins with https:// and can be reached from the internet.'
  const url = line('url', 'Address', maxUrlCharacters, hint, html`type="url" required`)
  const choices = webhookEvents.map((event) => [event, names[event]!] as const)
  return sheetForm([url, boxes('checkbox', 'events', 'Events', choices)], 'Create webhook', settingsPath)
}

function madeSecret({ id, secret }: { id: string; secret: string }): View {
  const hint =
    'Your program verifies the signatures of events with it. After a rotation, the previous secret works for 24 hours.'
  const content = secretView('secret', secret, hint, `${webhooksPath}/${id}`)
  return { ...within, title: 'The webhook’s secret', content }
}

function stateOf({ status }: WebhookRow): Html {
  return html`<span class="state ${status === 'enabled' ? 'good' : 'bad'}">${status === 'enabled' ? 'On' : 'Off'}</span>`
}

function webhookPanel(webhook: WebhookRow, deliveries: DeliveryRow[]): Html[] {
  const path = `${webhooksPath}/${webhook.id}`
  const form = (action: string, label: string, style = 'plain') =>
    html`<form method="post" action="${path}/${action}"><button class="${style}">${label}</button></form>`
  const isEnabled = webhook.status === 'enabled'
  return [
    html`<section class="panel"><p>${stateOf(webhook)} ${webhook.disabled_reason && reasons[webhook.disabled_reason]}</p>
<p class="hint">${webhook.events.map((event) => names[event]).join(' · ')}</p>
${isEnabled ? form('test', 'Send a test event') : form('enable', 'Turn on')}
<details><summary>New secret</summary><p>The current secret works for another 24 hours.</p>${form('rotate', 'New secret')}</details>
<details><summary>Delete webhook</summary><p>It gets no more events, and events that are still waiting for it are dropped.</p>${form('delete', 'Delete webhook', 'danger')}</details></section>`,
    html`<section class="panel"><h2>Last events</h2>
${deliveries.length === 0 && html`<p>Nothing was sent in the last 30 days.</p>`}
<ul class="rows">${deliveries.map(
      (delivery) => html`<li><div class="what"><p class="name">${names[delivery.type] ?? delivery.type}
<span class="state ${statuses[delivery.status][1]}">${statuses[delivery.status][0]}</span></p>
<p class="hint">${ago(delivery.created_at)} · ${counted(delivery.attempts, 'attempt')}${delivery.error && html` · ${delivery.error}`}</p></div>
${isEnabled && form(`deliveries/${delivery.id}/replay`, 'Send again', 'quiet')}</li>`,
    )}</ul></section>`,
  ]
}

import * as v from 'valibot'
import { config } from '../../../shared/config.ts'
import { uuid } from '../../../shared/ids.ts'
import { isAllowedUrl } from '../../../shared/outbound/addresses.ts'
import { listDeliveries, replayDelivery, sendTest } from '../../../shared/webhooks/deliveries.ts'
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  maxUrlCharacters,
  rotateSecret,
  updateWebhook,
  type WebhookScope,
  webhookEvents,
} from '../../../shared/webhooks/webhooks.ts'
import { isError } from '../error-view.ts'
import { anyOf, line } from '../forms.ts'
import { settingsPath } from '../paths.ts'
import type { Screens } from '../screen.ts'
import { words } from '../words.ts'
import { madeSecret, webhookForm, webhookPanel, webhooksPath } from './webhook-views.ts'

const { webhooks: w } = words.settings
const one = `${webhooksPath}/:webhookId`
const within = { place: 'settings', crumbs: [] } as const
const params = v.object({ webhookId: uuid })
const deliveryParams = v.object({ webhookId: uuid, deliveryId: uuid })
const shownDeliveries = 20

const newForm = v.object({
  url: v.pipe(
    line(maxUrlCharacters, { missing: w.urlMissing, tooLong: 'An address can have at most 2,000 characters.' }),
    v.check((url) => isAllowedUrl(url, { isLoopbackAllowed: config().ALLOW_LOOPBACK }), w.urlMissing),
  ),
  events: v.pipe(
    anyOf(webhookEvents, w.eventMissing),
    v.minLength(1, w.eventMissing),
    v.transform((names) => webhookEvents.filter((name) => names.includes(name))),
  ),
})

export function addWebhookScreens(screens: Screens) {
  const permission = 'organization:write'
  const newView = (...filled: Parameters<typeof webhookForm>) => ({
    ...within,
    title: 'New webhook',
    lead: 'Events are sent to its address as signed POST requests. You’ll see the secret that verifies them only once.',
    content: webhookForm(...filled),
  })
  screens
    .get(`${webhooksPath}/new`, { permission }, () => newView())
    .post(`${webhooksPath}/new`, { permission, form: newForm }, async ({ db, session, form }) => {
      if (!form.isValid) return { ...newView(form.typed, form.faults, form.chosen.events ?? []), status: 422 }
      try {
        const created = await createWebhook(db, session.organizationId, form.values)
        return { ...within, title: 'The webhook’s secret', content: madeSecret(created) }
      } catch (error) {
        if (!isError(error, 'validation_failed')) throw error
        return {
          ...newView(
            { url: form.values.url },
            { url: 'You have 10 webhooks, the most there can be. Delete one that you no longer need.' },
            form.values.events,
          ),
          status: 422,
        }
      }
    })
    .get(one, { permission, params }, async ({ db, scope }) => {
      const [webhook, { deliveries }] = await Promise.all([
        getWebhook(db, scope),
        listDeliveries(db, scope, { limit: shownDeliveries }),
      ])
      return { ...within, title: webhook.url, content: webhookPanel(webhook, deliveries) }
    })
    .post(`${one}/rotate`, { permission, params }, async ({ db, scope }) => ({
      ...within,
      title: 'The webhook’s secret',
      content: madeSecret(await rotateSecret(db, scope)),
    }))
    .post(`${one}/delete`, { permission, params }, async ({ db, scope }) => {
      await deleteWebhook(db, scope)
      return { redirect: settingsPath, flash: { text: 'The webhook was deleted.' } }
    })
    .post(`${one}/enable`, { permission, params }, async ({ db, scope }) => {
      await updateWebhook(db, scope, { status: 'enabled' })
      return {
        redirect: `${webhooksPath}/${scope.webhookId}`,
        flash: { text: 'The webhook is on again, and gets what was still waiting for it.' },
      }
    })
    .post(`${one}/test`, { permission, params }, ({ db, scope }) =>
      done(scope, sendTest(db, scope), 'The test event is on its way. Reload the page to see what came of it.'),
    )
    .post(`${one}/deliveries/:deliveryId/replay`, { permission, params: deliveryParams }, ({ db, scope }) =>
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

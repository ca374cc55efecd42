import { byId, listQuery, pageOf, readAfter, respondPage } from '../../shared/http/pagination.ts'
import type { Router } from '../../shared/http/router.ts'
import { listDeliveries, replayDelivery, sendTest } from '../../shared/webhooks/deliveries.ts'
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  rotateSecret,
  updateWebhook,
} from '../../shared/webhooks/webhooks.ts'
import {
  createBody,
  deliveryExample,
  deliverySchema,
  deliverySortKey,
  secretWebhookExample,
  secretWebhookSchema,
  toDelivery,
  updateBody,
  webhookExample,
  webhookSchema,
} from './webhook-schemas.ts'

const collection = '/v1/webhooks'
const one = `${collection}/:webhookId`
const aWebhook = { description: 'The webhook', schema: webhookSchema, example: webhookExample }
const withSecret = {
  description: 'The webhook with its secret',
  schema: secretWebhookSchema,
  example: secretWebhookExample,
}
const aDelivery = { description: 'The delivery', schema: deliverySchema, example: deliveryExample }

export function addWebhookRoutes(routes: Router) {
  routes
    .get(
      collection,
      {
        operationId: 'listWebhooks',
        summary: 'List webhooks',
        description: 'Newest first, without their secrets.',
        permission: 'organization:read',
        query: listQuery,
        responses: pageOf('webhooks', webhookSchema, webhookExample),
      },
      async ({ c, key, confirmKey, db, query: { limit, cursor } }) => {
        const [after] = readAfter(key, 'webhooks', cursor, byId) ?? []
        const { webhooks, hasMore } = await listWebhooks(db, key.organizationId, { limit, after })
        // An organization that has just been deleted has none either.
        if (webhooks.length === 0) await confirmKey()
        return respondPage(c, key, 'webhooks', webhooks, hasMore ? [webhooks.at(-1)!.id] : undefined)
      },
    )
    .post(
      collection,
      {
        operationId: 'createWebhook',
        summary: 'Create a webhook',
        description:
          'Sends events to its address as POST requests, signed by Standard Webhooks, until one returns 2xx or three days are over. Only this response shows the secret. An organization can have at most 10 webhooks.',
        permission: 'organization:write',
        body: createBody,
        examples: {
          documents: { url: 'https://shop.example/cuecard', events: ['document.completed', 'document.failed'] },
        },
        responses: { 201: { ...withSecret, headers: ['Location'] } },
      },
      async ({ c, key, db, body }) => {
        const created = await createWebhook(db, key.organizationId, body)
        c.header('location', `${collection}/${created.id}`)
        return c.json(created, 201)
      },
    )
    .get(
      one,
      {
        operationId: 'getWebhook',
        summary: 'Get a webhook',
        permission: 'organization:read',
        responses: { 200: aWebhook },
      },
      async ({ c, db, scope }) => c.json(await getWebhook(db, scope)),
    )
    .patch(
      one,
      {
        operationId: 'updateWebhook',
        summary: 'Update a webhook',
        description:
          'Changes the given fields. A disabled webhook receives no new events; once it is enabled again, it receives those that were still waiting.',
        permission: 'organization:write',
        body: updateBody,
        examples: { enable: { status: 'enabled' } },
        responses: { 200: aWebhook },
      },
      async ({ c, db, scope, body }) => c.json(await updateWebhook(db, scope, body)),
    )
    .delete(
      one,
      {
        operationId: 'deleteWebhook',
        summary: 'Delete a webhook',
        description: 'Drops the events that were still waiting for it.',
        permission: 'organization:write',
        responses: { 204: { description: 'It is gone' } },
      },
      async ({ c, db, scope }) => {
        await deleteWebhook(db, scope)
        return c.body(null, 204)
      },
    )
    .post(
      `${one}/rotate-secret`,
      {
        operationId: 'rotateWebhookSecret',
        summary: 'Rotate a webhook’s secret',
        description:
          'Creates a new secret, which only this response shows. For 24 hours, requests are signed with the previous one, too.',
        permission: 'organization:write',
        responses: { 200: withSecret },
      },
      async ({ c, db, scope }) => c.json(await rotateSecret(db, scope)),
    )
    .post(
      `${one}/test`,
      {
        operationId: 'testWebhook',
        summary: 'Send a test event',
        description: 'Sends `webhook.test` to this webhook. Its deliveries show the result.',
        permission: 'organization:write',
        responses: { 202: aDelivery },
        errors: ['webhook_disabled'],
      },
      async ({ c, db, scope }) => c.json(toDelivery(await sendTest(db, scope)), 202),
    )
    .get(
      `${one}/deliveries`,
      {
        operationId: 'listDeliveries',
        summary: 'List a webhook’s deliveries',
        description: 'Lists the deliveries of the last 30 days, newest first.',
        permission: 'organization:read',
        query: listQuery,
        responses: pageOf('deliveries', deliverySchema, deliveryExample),
      },
      async ({ c, key, db, scope, query: { limit, cursor } }) => {
        const list = `deliveries ${scope.webhookId}`
        const [after] = readAfter(key, list, cursor, deliverySortKey) ?? []
        const { deliveries, hasMore } = await listDeliveries(db, scope, { limit, after })
        const last = hasMore ? [deliveries.at(-1)!.number] : undefined
        return respondPage(c, key, list, deliveries.map(toDelivery), last)
      },
    )
    .post(
      `${one}/deliveries/:deliveryId/replay`,
      {
        operationId: 'replayDelivery',
        summary: 'Send a delivery again',
        description:
          'Sends it at once with the same `webhook-id`, whatever its status, and not in the order of its document’s events.',
        permission: 'organization:write',
        responses: { 202: aDelivery },
        errors: ['webhook_disabled'],
      },
      async ({ c, db, scope }) => c.json(toDelivery(await replayDelivery(db, scope, scope.deliveryId)), 202),
    )
}

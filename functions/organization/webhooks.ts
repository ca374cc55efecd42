import { Hono } from 'hono'
import { type ApiEnv, onlyPost } from '../../shared/http/api.ts'
import type { endpoints } from '../../shared/http/endpoint.ts'
import { ApiError } from '../../shared/http/errors.ts'
import { byId, listQuery, pageOf, readAfter, respondPage } from '../../shared/http/pages.ts'
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
  deliveryPath,
  deliverySchema,
  deliverySortKey,
  secretWebhookExample,
  secretWebhookSchema,
  toDelivery,
  toWebhook,
  updateBody,
  webhookExample,
  webhookPath,
  webhookSchema,
} from './webhook-schemas.ts'

const collection = '/v1/webhooks'
const one = `${collection}/:webhookId`
const tag = 'Webhooks'
const aWebhook = { description: 'The webhook', schema: webhookSchema, example: webhookExample }
const withSecret = {
  description: 'The webhook with its secret',
  schema: secretWebhookSchema,
  example: secretWebhookExample,
}
const aDelivery = { description: 'The delivery', schema: deliverySchema, example: deliveryExample }

/** Where a webhook is missing, an organization that has just been deleted is the next request's answer. */
async function confirmed<Result>(confirmKey: () => Promise<void>, act: Promise<Result>): Promise<Result> {
  try {
    return await act
  } catch (error) {
    if (error instanceof ApiError && error.code === 'webhook_not_found') await confirmKey()
    throw error
  }
}

export function webhookRoutes(endpoint: ReturnType<typeof endpoints>) {
  return new Hono<ApiEnv>()
    .use(`${one}/rotate-secret`, onlyPost)
    .use(`${one}/test`, onlyPost)
    .use(`${one}/deliveries/:deliveryId/replay`, onlyPost)
    .get(
      collection,
      endpoint(
        {
          operationId: 'listWebhooks',
          tag,
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
          return respondPage(c, key, 'webhooks', webhooks.map(toWebhook), hasMore ? [webhooks.at(-1)!.id] : undefined)
        },
      ),
    )
    .post(
      collection,
      endpoint(
        {
          operationId: 'createWebhook',
          tag,
          summary: 'Create a webhook',
          description:
            'Events are sent to its address as POST requests, signed as Standard Webhooks says, until one is answered with 2xx or three days are over. The secret is shown only in this answer. An organization can have at most 10.',
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
          return c.json(toWebhook(created), 201)
        },
      ),
    )
    .get(
      one,
      endpoint(
        {
          operationId: 'getWebhook',
          tag,
          summary: 'Get a webhook',
          permission: 'organization:read',
          params: webhookPath,
          responses: { 200: aWebhook },
        },
        async ({ c, confirmKey, db, scope }) => c.json(toWebhook(await confirmed(confirmKey, getWebhook(db, scope)))),
      ),
    )
    .patch(
      one,
      endpoint(
        {
          operationId: 'updateWebhook',
          tag,
          summary: 'Update a webhook',
          description:
            'Changes what is given. A disabled webhook receives no new events; once it is enabled again, it receives those that were still waiting.',
          permission: 'organization:write',
          params: webhookPath,
          body: updateBody,
          examples: { enable: { status: 'enabled' } },
          responses: { 200: aWebhook },
        },
        async ({ c, confirmKey, db, scope, body }) =>
          c.json(toWebhook(await confirmed(confirmKey, updateWebhook(db, scope, body)))),
      ),
    )
    .delete(
      one,
      endpoint(
        {
          operationId: 'deleteWebhook',
          tag,
          summary: 'Delete a webhook',
          description: 'What was still waiting for it is dropped.',
          permission: 'organization:write',
          params: webhookPath,
          responses: { 204: { description: 'It is gone' } },
        },
        async ({ c, confirmKey, db, scope }) => {
          await confirmed(confirmKey, deleteWebhook(db, scope))
          return c.body(null, 204)
        },
      ),
    )
    .post(
      `${one}/rotate-secret`,
      endpoint(
        {
          operationId: 'rotateWebhookSecret',
          tag,
          summary: 'Rotate a webhook’s secret',
          description:
            'Makes a new secret, shown only in this answer. For 24 hours requests are signed with the previous one, too.',
          permission: 'organization:write',
          params: webhookPath,
          responses: { 200: withSecret },
        },
        async ({ c, confirmKey, db, scope }) => c.json(toWebhook(await confirmed(confirmKey, rotateSecret(db, scope)))),
      ),
    )
    .post(
      `${one}/test`,
      endpoint(
        {
          operationId: 'testWebhook',
          tag,
          summary: 'Send a test event',
          description: 'Sends `webhook.test` to this webhook. Its deliveries show what came of it.',
          permission: 'organization:write',
          params: webhookPath,
          responses: { 202: aDelivery },
          errors: ['webhook_disabled'],
        },
        async ({ c, confirmKey, db, scope }) =>
          c.json(toDelivery(await confirmed(confirmKey, sendTest(db, scope))), 202),
      ),
    )
    .get(
      `${one}/deliveries`,
      endpoint(
        {
          operationId: 'listDeliveries',
          tag,
          summary: 'List a webhook’s deliveries',
          description: 'Those of the last 30 days, newest first.',
          permission: 'organization:read',
          params: webhookPath,
          query: listQuery,
          responses: pageOf('deliveries', deliverySchema, deliveryExample),
        },
        async ({ c, key, confirmKey, db, scope, params, query: { limit, cursor } }) => {
          const list = `deliveries ${params.webhookId}`
          const [after] = readAfter(key, list, cursor, deliverySortKey) ?? []
          const { deliveries, hasMore } = await confirmed(confirmKey, listDeliveries(db, scope, { limit, after }))
          const last = hasMore ? [deliveries.at(-1)!.number] : undefined
          return respondPage(c, key, list, deliveries.map(toDelivery), last)
        },
      ),
    )
    .post(
      `${one}/deliveries/:deliveryId/replay`,
      endpoint(
        {
          operationId: 'replayDelivery',
          tag,
          summary: 'Send a delivery again',
          description:
            'At once and with the same `webhook-id`, whatever became of it, and not in the order of its document.',
          permission: 'organization:write',
          params: deliveryPath,
          responses: { 202: aDelivery },
          errors: ['webhook_disabled'],
        },
        async ({ c, confirmKey, db, scope, params: { deliveryId } }) => {
          return c.json(toDelivery(await confirmed(confirmKey, replayDelivery(db, scope, deliveryId))), 202)
        },
      ),
    )
}

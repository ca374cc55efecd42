import * as v from 'valibot'
import { config } from '../../shared/config.ts'
import { described, fields, listOf, maxCharacters, someOf } from '../../shared/http/input/fields.ts'
import { isAllowedUrl, urlFault } from '../../shared/outbound/addresses.ts'
import type { DeliveryRow } from '../../shared/webhooks/deliveries.ts'
import { testEvent, webhookEvents } from '../../shared/webhooks/events.ts'
import { maxUrlCharacters, type WebhookRow } from '../../shared/webhooks/webhooks.ts'

export const deliverySortKey = v.strictTuple([v.pipe(v.string(), v.digits())])

const url = v.pipe(
  v.string('must be a string'),
  maxCharacters(maxUrlCharacters),
  v.check(
    (text) => isAllowedUrl(text, { isLoopbackAllowed: config().ALLOW_LOOPBACK }),
    ({ input }) => urlFault(input, { isLoopbackAllowed: config().ALLOW_LOOPBACK }),
  ),
  v.metadata({ maxLength: maxUrlCharacters, description: 'The address that receives the events: public, with https.' }),
)

const events = v.pipe(
  listOf(v.picklist(webhookEvents, `must be one of ${webhookEvents.join(', ')}`), {
    items: 'events',
    min: 1,
    max: webhookEvents.length,
  }),
  v.transform((names) => webhookEvents.filter((name) => names.includes(name))),
  v.description('The events that it receives.'),
)

export const createBody = v.pipe(fields({ url, events }), v.title('NewWebhook'))

export const updateBody = v.pipe(
  someOf({ url, events, status: v.picklist(['enabled', 'disabled'], 'must be enabled or disabled') }),
  v.metadata({ title: 'WebhookUpdate', minProperties: 1 }),
)

const timestamp = v.pipe(v.string(), v.isoTimestamp())

const disabledReasons: unknown[] = ['requested', 'gone', 'failing', null]
const webhook = {
  id: v.pipe(v.string(), v.uuid()),
  url: v.string(),
  events: v.array(v.picklist(webhookEvents)),
  status: v.picklist(['enabled', 'disabled']),
  disabled_reason: v.pipe(
    v.custom<WebhookRow['disabled_reason']>((value) => disabledReasons.includes(value)),
    v.metadata({
      type: ['string', 'null'],
      enum: disabledReasons,
      description:
        '`gone`: the receiver answered 410. `failing`: five days of failures without one success. `requested`: you disabled it.',
    }),
  ),
  created_at: timestamp,
}

export const webhookSchema = v.pipe(v.strictObject(webhook), v.title('Webhook'))

export const secretWebhookSchema = v.pipe(
  v.strictObject({
    ...webhook,
    secret: described(v.string(), 'The key for verifying signatures. It is shown only now.'),
  }),
  v.title('WebhookWithSecret'),
)

export const webhookExample: v.InferOutput<typeof webhookSchema> = {
  id: '01981f60-8a3c-7d21-9c4e-5b7a1f2e6d90',
  url: 'https://shop.example/cuecard',
  events: ['document.completed', 'document.failed'],
  status: 'enabled',
  disabled_reason: null,
  created_at: '2026-03-02T09:00:00.000Z',
}

export const secretWebhookExample: v.InferOutput<typeof secretWebhookSchema> = {
  ...webhookExample,
  secret: 'whsec_bm90IGEgc2VjcmV0LCBidXQgYW4gZXhhbXBsZSBvZiBvbmU=',
}

const count = v.pipe(v.number(), v.integer(), v.minValue(0))

export const deliverySchema = v.pipe(
  v.strictObject({
    id: v.pipe(v.string(), v.uuid(), v.description('The `webhook-id` of each attempt.')),
    type: described(v.string(), `The event, or \`${testEvent}\`.`),
    data: v.looseObject({}),
    status: described(v.picklist(['pending', 'delivered', 'failed']), '`failed` once three days of attempts are over.'),
    attempts: count,
    next_attempt_at: described(
      v.nullable(timestamp),
      'Null once the attempts have ended, and while it waits for an earlier event of the same document.',
    ),
    response_status: described(v.nullable(count), 'The receiver’s last status.'),
    error: described(v.nullable(v.string()), 'Why the last attempt failed.'),
    delivered_at: v.nullable(timestamp),
    created_at: timestamp,
  }),
  v.title('Delivery'),
)

export const deliveryExample: v.InferOutput<typeof deliverySchema> = {
  id: '5d0c1b7e-3f64-4f0e-9a43-1f1b7c2d8e66',
  type: 'document.completed',
  data: {
    agent_id: '01981f3c-9a47-7b1d-8c55-0a1b2c3d4e5f',
    document_id: '01981f3e-7f10-7c54-b1f5-3d1a5e0f9c21',
    external_id: null,
    revision: 1,
    status: 'completed',
  },
  status: 'delivered',
  attempts: 1,
  next_attempt_at: null,
  response_status: 204,
  error: null,
  delivered_at: '2026-03-02T10:02:12.381Z',
  created_at: '2026-03-02T10:02:11.904Z',
}

export function toDelivery({ number: _, ...row }: DeliveryRow) {
  return row
}

import { type Selectable, sql } from 'kysely'
import type { Database } from '../database/database.ts'
import type { Tables } from '../database/tables.ts'
import { ApiError } from '../http/errors.ts'
import { newId } from '../ids.ts'
import { testEvent } from './events.ts'
import { isWebhook, type WebhookScope, webhookNotFound } from './webhooks.ts'

const columns = [
  'id',
  'number',
  'type',
  'data',
  'status',
  'attempts',
  'next_attempt_at',
  'response_status',
  'error',
  'delivered_at',
  'created_at',
] as const

export type DeliveryRow = Pick<Selectable<Tables['webhook_deliveries']>, (typeof columns)[number]>

/** Newest first, after the one with the given number. @throws ApiError webhook_not_found */
export async function listDeliveries(
  db: Database,
  scope: WebhookScope,
  { limit, after }: { limit: number; after?: string | undefined },
): Promise<{ deliveries: DeliveryRow[]; hasMore: boolean }> {
  const { webhooks, deliveries } = await db.batch({
    webhooks: findWebhook(db, scope),
    deliveries: db
      .selectFrom('webhook_deliveries')
      .select(columns)
      .where('organization_id', '=', scope.organizationId)
      .where('webhook_id', '=', scope.webhookId)
      .where(after === undefined ? sql<boolean>`true` : sql<boolean>`-number > -${after}::bigint`)
      .orderBy(sql`-number`)
      .limit(limit + 1),
  })
  if (webhooks.length === 0) webhookNotFound()
  return { deliveries: deliveries.slice(0, limit), hasMore: deliveries.length > limit }
}

/** Sends a delivery again with the same id, whatever its status. @throws ApiError webhook_not_found, delivery_not_found, webhook_disabled */
export async function replayDelivery(db: Database, scope: WebhookScope, deliveryId: string): Promise<DeliveryRow> {
  const { webhooks, replayed } = await db.batch({
    webhooks: findWebhook(db, scope),
    replayed: db
      .updateTable('webhook_deliveries')
      .set({ status: 'pending', attempts: 0, next_attempt_at: sql`now()`, lease_token: null, queued_at: sql`now()` })
      .where('organization_id', '=', scope.organizationId)
      .where('webhook_id', '=', scope.webhookId)
      .where('id', '=', deliveryId)
      .where(isEnabled(scope))
      .returning(columns),
  })
  requireEnabled(webhooks)
  return replayed[0] ?? deliveryNotFound()
}

/** An event for this webhook only. @throws ApiError webhook_not_found, webhook_disabled */
export async function sendTest(db: Database, scope: WebhookScope): Promise<DeliveryRow> {
  const { organizationId: organization_id, webhookId: webhook_id } = scope
  const id = newId()
  const data = JSON.stringify({ webhook_id })
  const { webhooks, created } = await db.batch({
    webhooks: findWebhook(db, scope),
    created: sql<DeliveryRow>`
      insert into webhook_deliveries (organization_id, webhook_id, id, type, subject_id, data, next_attempt_at)
      select ${organization_id}, ${webhook_id}, ${id}, ${testEvent}, ${id}, ${data}, now() where ${isEnabled(scope)}
      returning ${sql.join(columns.map((column) => sql.ref(column)))}`,
  })
  requireEnabled(webhooks)
  return created[0] ?? webhookNotFound()
}

function findWebhook(db: Database, scope: WebhookScope) {
  return db.selectFrom('webhooks').select('status').where(isWebhook(scope))
}

function isEnabled(scope: WebhookScope) {
  return sql<boolean>`exists (select from webhooks where ${isWebhook(scope)} and status = 'enabled')`
}

function requireEnabled([webhook]: { status: string }[]): void {
  if (!webhook) webhookNotFound()
  if (webhook.status !== 'enabled')
    throw new ApiError('webhook_disabled', 'Enable the webhook first: set its `status` to `enabled`.')
}

function deliveryNotFound(): never {
  throw new ApiError('delivery_not_found', 'The webhook has no delivery with this id. They are kept for 30 days.')
}

import { randomBytes } from 'node:crypto'
import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { Database } from '../database/database.ts'
import type { Tables } from '../database/tables.ts'
import { ApiError } from '../http/errors.ts'
import { invalidKey } from '../http/sent-key.ts'
import { newId, type OrganizationId } from '../ids.ts'
import type { WebhookEvent } from './events.ts'

type WebhookStatus = 'enabled' | 'disabled'

export interface WebhookScope {
  organizationId: OrganizationId
  webhookId: string
}

const maxWebhooks = 10
export const maxUrlCharacters = 2000

const columns = ['id', 'url', 'events', 'status', 'disabled_reason', 'created_at'] as const

export type WebhookRow = Pick<Selectable<Tables['webhooks']>, (typeof columns)[number]>

/** Newest first, after the webhook with the given id: ids are made in the order of time. */
export async function listWebhooks(
  db: Database,
  organizationId: OrganizationId,
  { limit, after }: { limit: number; after?: string | undefined },
): Promise<{ webhooks: WebhookRow[]; hasMore: boolean }> {
  const webhooks = await db
    .selectFrom('webhooks')
    .select(columns)
    .where('organization_id', '=', organizationId)
    .where((eb) => (after === undefined ? eb.lit(true) : eb('id', '<', after)))
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()
  return { webhooks: webhooks.slice(0, limit), hasMore: webhooks.length > limit }
}

/** @throws ApiError webhook_not_found */
export async function getWebhook(db: Database, scope: WebhookScope): Promise<WebhookRow> {
  const found = db.selectFrom('webhooks').select(columns).where(isWebhook(scope))
  return (await found.executeTakeFirst()) ?? webhookNotFound()
}

/** Creates a webhook. Only this result and that of `rotateSecret` show a secret. @throws ApiError validation_failed past the limit; invalid_api_key */
export async function createWebhook(
  db: Database,
  organizationId: OrganizationId,
  { url, events }: { url: string; events: readonly WebhookEvent[] },
): Promise<WebhookRow & { secret: string }> {
  const secret = newSecret()
  const { organizations, created } = await db.batch({
    organizations: sql`select from organizations where id = ${organizationId}`,
    // Held until the transaction ends, so that each one counts those before it.
    locked: sql`select pg_advisory_xact_lock(hashtextextended(${organizationId}, 2))`,
    created: sql<WebhookRow>`
      insert into webhooks (organization_id, id, url, events, secret)
      select o.id, ${newId()}, ${url}, ${[...events]}::text[], ${secret} from organizations o
      where o.id = ${organizationId} and (select count(*) from webhooks w where w.organization_id = o.id) < ${maxWebhooks}
      returning ${sql.join(columns.map((column) => sql.ref(column)))}`,
  })
  if (organizations.length === 0) throw invalidKey()
  const [row] = created
  if (row) return { ...row, secret: shown(secret) }
  throw new ApiError(
    'validation_failed',
    `An organization can have at most ${maxWebhooks} webhooks. Delete one that you no longer need.`,
  )
}

/** Changes a webhook. Enabling it again clears its failures, and sends the deliveries that still wait. @throws ApiError webhook_not_found */
export async function updateWebhook(
  db: Database,
  scope: WebhookScope,
  { status, ...changes }: { url?: string; events?: WebhookEvent[]; status?: WebhookStatus },
): Promise<WebhookRow> {
  const isChange = sql<boolean>`${status ?? null}::text is distinct from status and ${status !== undefined}`
  const { changed } = await db.batch({
    changed: db
      .updateTable('webhooks')
      .set({
        ...changes,
        status: sql`coalesce(${status ?? null}, status)`,
        disabled_reason: sql`case when ${isChange} then ${status === 'disabled' ? 'requested' : null} else disabled_reason end`,
        failing_since: sql`case when ${status === 'enabled'} then null else failing_since end`,
      })
      .where(isWebhook(scope))
      .returning(columns),
    ...(status === 'enabled' && { due: promoteFirst(scope) }),
  })
  return changed[0] ?? webhookNotFound()
}

/** The previous secret signs for another 24 hours. @throws ApiError webhook_not_found */
export async function rotateSecret(db: Database, scope: WebhookScope): Promise<WebhookRow & { secret: string }> {
  const secret = newSecret()
  const changed = db.updateTable('webhooks').set({ secret }).where(isWebhook(scope)).returning(columns)
  const row = (await changed.executeTakeFirst()) ?? webhookNotFound()
  return { ...row, secret: shown(secret) }
}

/** @throws ApiError webhook_not_found */
export async function deleteWebhook(db: Database, scope: WebhookScope): Promise<void> {
  const deleted = await db.deleteFrom('webhooks').where(isWebhook(scope)).returning('id').execute()
  if (deleted.length === 0) webhookNotFound()
}

/** Makes the first waiting delivery of each subject due: those before it may have been purged while the webhook was disabled. */
function promoteFirst({ organizationId, webhookId }: WebhookScope): RawBuilder<unknown> {
  return sql`update webhook_deliveries d set next_attempt_at = now()
    where d.organization_id = ${organizationId} and d.webhook_id = ${webhookId} and d.status = 'pending'
      and d.next_attempt_at is null and not exists (
        select from webhook_deliveries e
        where e.organization_id = ${organizationId} and e.webhook_id = ${webhookId} and e.subject_id = d.subject_id
          and e.status = 'pending' and e.number < d.number)`
}

export function isWebhook({ organizationId, webhookId }: WebhookScope) {
  return sql<boolean>`(organization_id = ${organizationId} and id = ${webhookId})`
}

export function webhookNotFound(): never {
  throw new ApiError('webhook_not_found', 'Your organization has no webhook with this id.')
}

const newSecret = () => randomBytes(32)

const shown = (secret: Buffer) => `whsec_${secret.toString('base64')}`

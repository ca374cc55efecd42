import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../shared/database/database.ts'
import { recordset } from '../../shared/database/recordset.ts'
import type { OrganizationId } from '../../shared/ids.ts'

/** A webhook with a delivery that is due. */
export interface DueWebhook {
  organization_id: OrganizationId
  webhook_id: string
  is_failing: boolean
  /** How long ago its oldest delivery was due. */
  seconds_late: number
}

export interface Delivery {
  id: string
  type: string
  subject_id: string
  data: Record<string, unknown>
  attempts: number
  queued_at: Date
  created_at: Date
  url: string
  secret: Buffer
  previous_secret: Buffer | null
  previous_until: Date | null
}

export interface Outcome {
  id: string
  subject_id: string
  status: 'pending' | 'delivered' | 'failed'
  next_attempt_at: string | null
  response_status: number | null
  error: string | null
}

export const requestsAtOnce = 5
const leaseSeconds = 60
const failingDays = 5

/** Finds due webhooks by jumping from one to the next in the index, however many deliveries each has. */
export function findDue(db: Database, now: Date) {
  return db.batch({
    due: sql<DueWebhook>`
      with recursive hooks as (
        (select organization_id, webhook_id from webhook_deliveries where next_attempt_at is not null
          order by organization_id, webhook_id limit 1)
        union all
        select next.organization_id, next.webhook_id from hooks h, lateral (
          select d.organization_id, d.webhook_id from webhook_deliveries d
          where d.next_attempt_at is not null and (d.organization_id, d.webhook_id) > (h.organization_id, h.webhook_id)
          order by d.organization_id, d.webhook_id limit 1) next
      )
      select h.organization_id, h.webhook_id, w.failing_since is not null as is_failing,
        greatest(0, extract(epoch from ${now}::timestamptz - first.due_at))::float8 as seconds_late
      from hooks h join webhooks w on (w.organization_id, w.id) = (h.organization_id, h.webhook_id), lateral (
        select d.next_attempt_at as due_at from webhook_deliveries d
        where (d.organization_id, d.webhook_id) = (h.organization_id, h.webhook_id) and d.next_attempt_at <= ${now}
        order by d.next_attempt_at limit 1) first
      where w.status = 'enabled'`,
    enabled: sql`select from webhooks where status = 'enabled' limit 1`,
  })
}

/** Leases a few deliveries of the webhook to the token. Ids are arrays here and below: with a join, outdated statistics would make it read all rows of a webhook. */
export async function claimDeliveries(
  db: Database,
  { organization_id, webhook_id }: DueWebhook,
  token: string,
  now: Date,
) {
  const { rows } = await sql<Delivery>`
    with due as materialized (
      select d.id from webhook_deliveries d
      where d.organization_id = ${organization_id} and d.webhook_id = ${webhook_id} and d.next_attempt_at <= ${now}
      order by d.next_attempt_at limit ${requestsAtOnce} for update skip locked)
    update webhook_deliveries d set lease_token = ${token}, attempts = d.attempts + 1,
      next_attempt_at = ${now}::timestamptz + make_interval(secs => ${leaseSeconds})
    from webhooks w
    where d.organization_id = ${organization_id} and d.webhook_id = ${webhook_id} and d.id = any (array(select id from due))
      and w.organization_id = ${organization_id} and w.id = ${webhook_id} and w.status = 'enabled'
    returning d.id, d.type, d.subject_id, d.data, d.attempts, d.queued_at, d.created_at, w.url, w.secret, w.previous_secret,
      w.previous_until`.execute(db.forOrganization(organization_id))
  return rows
}

/** Ends the leases, and makes the next delivery of each subject due. Outcomes of a lease that was lost change nothing. */
export async function finish(
  db: Database,
  { organization_id, webhook_id }: DueWebhook,
  token: string,
  outcomes: Outcome[],
  now: Date,
): Promise<void> {
  const columns = {
    id: 'uuid',
    subject_id: 'uuid',
    status: 'text',
    next_attempt_at: 'timestamptz',
    response_status: 'int',
    error: 'text',
  } as const
  const isWebhook = sql`w.organization_id = ${organization_id} and w.id = ${webhook_id}`
  const isLeased = sql`exists (select from webhook_deliveries d
    where d.organization_id = ${organization_id} and d.webhook_id = ${webhook_id} and d.lease_token = ${token}
      and d.id = any (${outcomes.map(({ id }) => id)}::uuid[]))`
  await db.forOrganization(organization_id).batch({
    // First, since the next statement ends the lease.
    noted: sql`update webhooks w set ${noted(outcomes, now)} and ${isWebhook} and ${isLeased}`,
    ended: sql`update webhook_deliveries d set status = o.status, next_attempt_at = o.next_attempt_at, lease_token = null,
        response_status = o.response_status, error = o.error,
        delivered_at = case when o.status = 'delivered' then ${now}::timestamptz end
      from ${recordset('o', columns, outcomes)}
      where d.organization_id = ${organization_id} and d.webhook_id = ${webhook_id} and d.lease_token = ${token}
        and d.id = any (${outcomes.map(({ id }) => id)}::uuid[]) and d.id = o.id`,
    // A separate statement sees the rows that were inserted while the one before waited.
    promoted: sql`update webhook_deliveries d set next_attempt_at = ${now}
      where d.organization_id = ${organization_id} and d.webhook_id = ${webhook_id} and d.next_attempt_at is null
        and d.id = any (array(
          select next.id from unnest(${outcomes.map(({ subject_id }) => subject_id)}::uuid[]) s(id), lateral (
            select n.id from webhook_deliveries n
            where n.organization_id = ${organization_id} and n.webhook_id = ${webhook_id} and n.subject_id = s.id
              and n.status = 'pending'
            order by n.number limit 1) next))`,
  })
}

/** Stores the receiver's state that follows from the outcomes. */
function noted(outcomes: Outcome[], now: Date): RawBuilder<unknown> {
  if (outcomes.some(({ response_status }) => response_status === 410))
    return sql`status = 'disabled', disabled_reason = 'gone' where w.status = 'enabled'`
  if (outcomes.some(({ status }) => status === 'delivered'))
    return sql`failing_since = null where w.failing_since is not null`
  const isOver = sql`w.failing_since < ${now}::timestamptz - make_interval(days => ${failingDays})`
  return sql`failing_since = coalesce(w.failing_since, ${now}),
      status = case when ${isOver} then 'disabled' else w.status end,
      disabled_reason = case when ${isOver} then 'failing' else w.disabled_reason end
    where w.status = 'enabled' and (w.failing_since is null or ${isOver})`
}

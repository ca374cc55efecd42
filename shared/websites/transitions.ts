import { type Expression, sql } from 'kysely'
import { columnsOf } from '../database/columns.ts'
import type { WebsiteScope } from '../database/scope.ts'
import type { SitemapReading, WebsiteStatus } from '../database/website-tables.ts'
import { trashDays } from '../documents/client/trash.ts'
import type { Origin } from '../work/message.ts'
import { type Change, fromNow, now, requestedBy, workKind } from '../work/work-kind.ts'

/**
 * Every transition of a website and its crawls, each an argument of `crawling.update`; the guard says which rows may make it.
 *
 * | from                     | event                                | to                                            | transition, guard              |
 * |--------------------------|--------------------------------------|-----------------------------------------------|--------------------------------|
 * | –                        | created                              | pending, due                                  | the columns' defaults          |
 * | kept                     | refresh; a page is followed again    | pending, due after the crawl in progress      | `refresh`, `isKept`            |
 * | kept                     | PATCH: other paths                   | pending, due, the crawl in progress is void   | `changePaths`, `isKept`        |
 * | kept                     | PATCH: refresh_hours                 | the same, the next crawl perhaps earlier      | `reschedule`, `isKept`         |
 * | due, another crawl first | a worker claims it                   | the same, its message sent in a minute        | `postpone`, `mustWait`         |
 * | due                      | a worker claims it                   | leased: a new crawl                           | `claim`, `isClaimable`         |
 * | due, crawl in progress   | a worker claims it                   | leased: the same crawl                        | `claim`, `isClaimable`         |
 * | lease expired            | a worker claims it                   | leased: the same crawl                        | `claim`, `isClaimable`         |
 * | leased                   | a step of the crawl is stored        | the same, the lease renewed                   | `renew`, `isLeasedTo`          |
 * | leased                   | a sitemap's file is read             | the same, with what is yet to be read         | `keepSitemap`, `isLeasedTo`    |
 * | leased                   | time is up, the pipeline is full, an error | not leased, due later, crawl in progress | `pause`, `isLeasedTo`         |
 * | leased                   | all changes are made                 | ready, due after `refresh_hours`              | `succeed`, `isLeasedTo`        |
 * | leased                   | the website fails, or five attempts  | error, due after 15 minutes or more           | `fail`, `isLeasedTo`           |
 * | any                      | deleted                              | deleting, due                                 | `remove`, `isWebsite`           |
 * | kept                     | put into the trash                   | deleting, due after 30 days                   | `discard`, `isKept`            |
 * | in the trash             | restored                             | pending, due                                  | `bringBack`, `isInTrash`       |
 * | any                      | its agent's erasure begins           | never due, the crawl in progress is void      | `halt`                         |
 * | deleting                 | a worker claims it                   | leased, and gone with its last document       | `claim`, `isClaimable`         |
 *
 * Due is a time: `resume_at` of the crawl in progress, else `next_check_at`. `succeed` and `fail` leave a website pending whose refresh was
 * requested during the crawl. A trigger (`tell_of_source`) makes the events of webhooks.
 */
export type Transition = Change<'sources'>

const s = columnsOf('sources', 's')

/** The lease is longer than the Lambda runs; an attempt is a lease without a page. */
export const crawling = workKind('sources', 's', { leaseSeconds: 330, maxAttempts: 5, lostAfterSeconds: 120 })

/** The sweeper's message tries a website again after this time if its turn has not come. */
const postponedSeconds = 60

export const isWebsite = ({ organizationId, agentId, sourceId }: WebsiteScope) =>
  sql<boolean>`(${s.organization_id} = ${organizationId} and ${s.agent_id} = ${agentId} and ${s.id} = ${sourceId})`

/** True if the website exists, and is neither being deleted nor in the trash. */
export const isKept = (scope: WebsiteScope) => sql<boolean>`(${isWebsite(scope)} and ${s.status} <> 'deleting')`

/** Later a crawler may be deleting it. */
export const isInTrash = (scope: WebsiteScope) =>
  sql<boolean>`(${isWebsite(scope)} and ${s.deleted_at} > now() - make_interval(days => ${trashDays}))`

export const dueAt = sql<Date>`coalesce(${s.resume_at}, ${s.next_check_at})`
/** True if a crawl is due to begin, or one in progress to continue, or if its worker has died. */
export const isDue = sql<boolean>`(${s.lease_token} is null and ${dueAt} <= now() or ${crawling.isLeaseExpired})`

/** True if the organization crawls the same host, which gets one request at a time; or any host, while another organization waits for a crawler. */
export const mustWait = () => {
  const hostOf = (alias: string) =>
    sql`regexp_replace(lower(split_part(${sql.id(alias, 'url')}, '/', 3)), '^www\\.', '')`
  return sql<boolean>`exists (select from sources o where o.organization_id = s.organization_id and o.id <> s.id
    and o.lease_expires_at > now() and (${hostOf('o')} = ${hostOf('s')} or another_organization_waits(s.organization_id)))`
}

/** Includes the token's own claim, so that it may be repeated. */
export const isClaimable = (leaseToken: Expression<string>) =>
  sql<boolean>`((${isDue} or ${s.lease_token} = ${leaseToken}) and not ${mustWait()})`

/** The condition of every write of a worker: the lease is still held. */
export const isLeasedTo = (lease: WebsiteScope & { leaseToken: string }) =>
  sql<boolean>`(${isWebsite(lease)} and ${s.lease_token} = ${lease.leaseToken}::uuid)`

const noCrawl = { ...crawling.released, resume_at: null, attempt: 0 } satisfies Transition

/** Its documents are being deleted, and no crawl brings others. */
export const halt = { ...noCrawl, next_check_at: sql<Date>`'infinity'` } satisfies Transition

/** The crawl in progress may have read a page before it changed. */
export const refresh = (origin: Origin) =>
  ({
    status: 'pending',
    error_message: null,
    next_check_at: now,
    ...crawling.sent(),
    ...requestedBy(origin),
  }) satisfies Transition

export const changePaths = (paths: Pick<Transition, 'include' | 'exclude'>, origin: Origin): Transition => ({
  ...paths,
  ...refresh(origin),
  ...noCrawl,
})

export const reschedule = (refreshHours: number): Transition => ({
  refresh_hours: refreshHours,
  next_check_at: sql<Date>`least(${s.next_check_at}, now() + make_interval(hours => ${refreshHours}::int))`,
})

export const postpone = (): Transition => ({ resend_at: fromNow(postponedSeconds) })

export const claim = (leaseToken: Expression<string>): Transition => ({
  ...crawling.claimed(leaseToken),
  crawl: sql<number>`${s.crawl} + (${s.resume_at} is null)::int`,
  resume_at: sql<Date>`coalesce(${s.resume_at}, now())`,
  sitemap: sql<SitemapReading | null>`case when ${s.resume_at} is not null then ${s.sitemap} end`,
  // Earlier by up to a tenth, so that websites made at one moment are not due at one moment for ever.
  next_check_at: sql<Date>`case when ${s.resume_at} is null
    then now() + make_interval(secs => ${s.refresh_hours} * 3600 * (0.9 + 0.1 * random())) else ${s.next_check_at} end`,
})

export const renew = (attempt: number): Transition => ({ ...crawling.renewed, attempt })

export const keepSitemap = (sitemap: SitemapReading | null): Transition => ({
  sitemap: sql<SitemapReading | null>`${sitemap && JSON.stringify(sitemap)}::jsonb`,
})

/** Lets another worker continue the crawl. @param attempt leases in a row that have brought no page */
export const pause = (seconds: number, attempt: number): Transition => ({
  ...crawling.released,
  ...crawling.sent(seconds),
  resume_at: fromNow(seconds),
  attempt,
})

const ended = { ...noCrawl, checked_at: now, resend_at: now } satisfies Transition
const unlessRefreshed = <Value>(value: Value, otherwise: Value) =>
  sql<Value>`case when ${s.next_check_at} <= now() then ${otherwise}::text else ${value}::text end`

/** @param notice what the crawl left out and why */
export const succeed = (notice: Expression<string | null>): Transition => ({
  ...ended,
  status: unlessRefreshed<WebsiteStatus>('ready', 'pending'),
  error_message: null,
  notice,
  failures: 0,
})

/** The next crawl follows after 15 minutes, later ones after twice as long each time, up to `refresh_hours`. @param message tells people what failed */
export const fail = (message: string): Transition => ({
  ...ended,
  failures: sql<number>`${s.failures} + 1`,
  status: unlessRefreshed<WebsiteStatus>('error', 'pending'),
  error_message: unlessRefreshed<string | null>(message, null),
  next_check_at: sql<Date>`least(${s.next_check_at},
    now() + make_interval(mins => 15) * least(2 ^ ${s.failures}, 4 * ${s.refresh_hours}))`,
})

/** The crawler deletes what the request leaves, of a website in the trash too. */
export const remove = (origin: Origin): Transition => ({
  ...refresh(origin),
  ...noCrawl,
  status: 'deleting',
  deleted_at: null,
})

/** Frees the address for another website, since a canonical one has no fragment. The crawler deletes the website when its time in the trash is over. */
export const discard = (origin: Origin): Transition => ({
  ...remove(origin),
  address: sql<string>`${s.address} || '#' || ${s.id}`,
  deleted_at: now,
  next_check_at: fromNow(trashDays * 86_400),
})

export const bringBack = (origin: Origin): Transition => ({
  ...refresh(origin),
  deleted_at: null,
  address: sql<string>`split_part(${s.address}, '#', 1)`,
})

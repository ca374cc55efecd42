import { type Expression, sql } from 'kysely'
import { columnsOf } from '../../shared/database/columns.ts'
import type { Database, Statement } from '../../shared/database/database.ts'
import type { SitemapReading, SourceKind, SourceStatus } from '../../shared/database/source-tables.ts'
import type { AgentId } from '../../shared/ids.ts'
import { type CrawlMessage, type Origin, originOf } from '../../shared/queue.ts'
import {
  countPages,
  crawling,
  isCrawlDue,
  isSource,
  maxPages,
  noCrawl,
  type SourceScope,
} from '../../shared/sources/sources.ts'
import { fromNow, now } from '../../shared/work/work-kind.ts'

const s = columnsOf('sources', 's')

/** The sweeper's message tries a source again after this time if its turn has not come. */
const postponedSeconds = 60

/** A crawl that a worker has claimed: the lease fences all of the worker's writes. */
export interface Claim extends SourceScope {
  leaseToken: string
  url: string
  kind: SourceKind
  status: SourceStatus
  include: string[]
  exclude: string[]
  /** The crawl's number among those of the source. */
  crawl: number
  /** Leases in a row that ended without a page, this one included. */
  attempt: number
  /** The part of the sitemap that this crawl has yet to read. */
  sitemap: SitemapReading | null
  origin: Origin
}

/** Another worker has the lease, or the source is gone. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'
}

const hostOf = (url: Expression<string>) => sql`regexp_replace(lower(split_part(${url}, '/', 3)), '^www\\.', '')`
const o = columnsOf('sources', 'o')
/** True if the organization crawls the same host, which gets one request at a time; or any host, while another organization waits for a crawler. */
const mustWait = sql<boolean>`exists (select from sources o where o.organization_id = s.organization_id and o.id <> s.id
  and o.lease_expires_at > now() and (${hostOf(o.url)} = ${hostOf(s.url)} or another_organization_waits(s.organization_id)))`

const claimedColumns = [
  ...['agent_id', 'url', 'kind', 'status', 'include', 'exclude', 'crawl', 'attempt', 'sitemap'],
  ...['request_id', 'requested_by'],
] as const

/** Claims a source whose crawl is due or was interrupted. If it must wait, the sweeper sends its message again. The same token may claim again. */
export async function claimSource(
  db: Database,
  { organizationId, sourceId }: CrawlMessage,
  leaseToken: string,
): Promise<Claim | undefined> {
  const token = sql<string>`${leaseToken}::uuid`
  const isIt = sql`s.organization_id = ${organizationId} and s.id = ${sourceId}`
  const isMine = sql`s.lease_token = ${token}`
  const change = {
    ...crawling.claimed(token),
    crawl: sql<number>`s.crawl + (s.resume_at is null)::int`,
    resume_at: sql<Date>`coalesce(s.resume_at, now())`,
    sitemap: sql<SitemapReading | null>`case when s.resume_at is not null then s.sitemap end`,
    // Earlier by up to a tenth, so that sources made at one moment are not due at one moment for ever.
    next_check_at: sql<Date>`case when s.resume_at is null
      then now() + make_interval(secs => s.refresh_hours * 3600 * (0.9 + 0.1 * random())) else s.next_check_at end`,
  }
  const { rows } = await db.batch({
    // Makes an organization's claims see each other.
    locked: sql`select pg_advisory_xact_lock(hashtextextended(${organizationId}, 3))`,
    rows: crawling.update(sql`${isIt} and (${isCrawlDue} or ${isMine}) and not ${mustWait}`, change, claimedColumns),
    postponed: crawling.update(sql`${isIt} and ${isCrawlDue} and ${mustWait}`, {
      resend_at: fromNow(postponedSeconds),
    }),
  })
  const [row] = rows
  if (!row) return undefined
  const { agent_id, request_id: _, requested_by: __, ...rest } = row
  const scope = { organizationId, agentId: agent_id as AgentId, sourceId }
  return { ...rest, ...scope, leaseToken, origin: originOf(row) }
}

export const isLeasedTo = (claim: Claim) =>
  sql<boolean>`(${isSource(claim)} and ${s.lease_token} = ${claim.leaseToken}::uuid)`

/** Runs the statements and renews the lease, if it is still held. @throws LeaseLost */
export async function fenced<const Q extends Readonly<Record<string, Statement>>>(
  db: Database,
  claim: Claim,
  statements: (isLeased: Expression<boolean>) => Q,
) {
  const isLeased = sql<boolean>`exists (select from sources s where ${isLeasedTo(claim)})`
  const { renewed, ...results } = await db.batch({
    renewed: crawling.update(isLeasedTo(claim), { ...crawling.renewed, attempt: claim.attempt }),
    ...statements(isLeased),
  })
  if (renewed.length === 0) throw new LeaseLost()
  return results
}

/** Does the same with the statements that finish a page. @throws LeaseLost */
export async function fencedProgress(...[db, claim, statements]: Parameters<typeof fenced>): Promise<void> {
  claim.attempt = 1
  await fenced(db, claim, statements)
}

/** The statement that ends a lease, so that another continues the crawl. @param counts true if this lease has brought no page */
export function releaseSource(claim: Claim, seconds: number, counts: boolean) {
  return crawling.update(isLeasedTo(claim), {
    ...{ ...crawling.released, ...crawling.sent(seconds), resume_at: fromNow(seconds) },
    attempt: counts ? claim.attempt : 0,
  })
}

const ended = { ...noCrawl, checked_at: now, resend_at: now }
/** A refresh may have been requested meanwhile, which is still due. */
const unlessRefreshed = <Value>(value: Value, otherwise: Value) =>
  sql<Value>`case when ${s.next_check_at} <= now() then ${otherwise}::text else ${value}::text end`

/** Ends a crawl whose changes are made. @param max the most pages of a source of its kind */
export function succeed(claim: Claim, max: number) {
  const notice = sql<string | null>`case
    when ${countPages(claim)} >= ${maxPages} then ${`The organization has ${maxPages.toLocaleString('en')} pages of sources, which is the maximum: others are left out.`}
    when ${max > 1} and (select count(*) from source_pages p where p.organization_id = s.organization_id and p.source_id = s.id) >= ${max}::int
      then ${`The source has ${max} pages, which is the maximum: others are left out.`} end`
  const status = unlessRefreshed<SourceStatus>('ready', 'pending')
  return crawling.update(isLeasedTo(claim), { ...ended, status, error_message: null, notice, failures: 0 })
}

/**
 * Statements that end a crawl which changes nothing. The next attempt follows after 15 minutes, later ones after twice as long each time,
 * up to `refresh_hours`. @param message tells people what failed
 */
export function fail(claim: Claim, message: string) {
  return {
    cleared: sql`update source_pages p set task = null, title = null, content = null from sources s
      where ${isLeasedTo(claim)} and p.organization_id = s.organization_id and p.source_id = s.id`,
    ended: crawling.update(isLeasedTo(claim), {
      ...{ ...ended, failures: sql<number>`s.failures + 1`, status: unlessRefreshed<SourceStatus>('error', 'pending') },
      error_message: unlessRefreshed<string | null>(message, null),
      next_check_at: sql<Date>`least(s.next_check_at, now() + make_interval(mins => 15) * least(2 ^ s.failures, 4 * s.refresh_hours))`,
    }),
  }
}

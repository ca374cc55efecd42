import { type Expression, sql } from 'kysely'
import { columnsOf } from '../../shared/database/columns.ts'
import type { Database, Statement } from '../../shared/database/database.ts'
import type { SitemapReading, SourceKind, SourceStatus } from '../../shared/database/source-tables.ts'
import type { AgentId, SourceId } from '../../shared/ids.ts'
import { type CrawlMessage, type Origin, originOf } from '../../shared/queue.ts'
import {
  countPages,
  isCrawlDue,
  isCrawlInterrupted,
  isSource,
  maxPages,
  type SourceScope,
} from '../../shared/sources/sources.ts'

const s = columnsOf('sources', 's')

/** Longer than the Lambda runs, so that a live one keeps its source. */
export const leaseSeconds = 330

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

interface ClaimedRow
  extends Pick<Claim, 'url' | 'kind' | 'status' | 'include' | 'exclude' | 'crawl' | 'attempt' | 'sitemap'> {
  agent_id: AgentId
  request_id: string | null
  requested_by: string | null
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

/** Claims a source whose crawl is due or was interrupted. If it must wait, the sweeper sends its message again. The same token may claim again. */
export async function claimSource(
  db: Database,
  { organizationId, sourceId }: CrawlMessage,
  leaseToken: string,
): Promise<Claim | undefined> {
  const isNew = sql`(s.lease_token is distinct from ${leaseToken}::uuid)::int`
  const claim = sql<ClaimedRow>`update sources s set lease_token = ${leaseToken}::uuid, lease_expires_at = now() + make_interval(secs => ${leaseSeconds}),
      attempt = s.attempt + ${isNew}, crawl = s.crawl + (s.resume_at is null)::int, resume_at = coalesce(s.resume_at, now()),
      sitemap = case when s.resume_at is not null then s.sitemap end,
      -- Earlier by up to a tenth, so that sources made at one moment are not due at one moment for ever.
      next_check_at = case when s.resume_at is null
        then now() + make_interval(secs => s.refresh_hours * 3600 * (0.9 + 0.1 * random())) else s.next_check_at end
    where s.organization_id = ${organizationId} and s.id = ${sourceId}
      and (${isCrawlDue} or ${isCrawlInterrupted} or s.lease_token = ${leaseToken}::uuid) and not ${mustWait}
    returning s.agent_id, s.url, s.kind, s.status, s.include, s.exclude, s.crawl, s.attempt, s.sitemap, s.request_id, s.requested_by`
  const { rows } = await db.batch({
    // Makes an organization's claims see each other.
    locked: sql`select pg_advisory_xact_lock(hashtextextended(${organizationId}, 3))`,
    rows: claim,
    postponed: sql`update sources s set resend_at = now() + make_interval(secs => ${postponedSeconds})
      where s.organization_id = ${organizationId} and s.id = ${sourceId} and (${isCrawlDue} or ${isCrawlInterrupted})
        and ${mustWait}`,
  })
  const [row] = rows
  if (!row) return undefined
  const { agent_id: agentId, request_id: _, requested_by: __, ...rest } = row
  return { ...rest, organizationId, agentId, sourceId: sourceId as SourceId, leaseToken, origin: originOf(row) }
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
    renewed: sql<{ id: string }>`update sources s set lease_expires_at = now() + make_interval(secs => ${leaseSeconds}),
        attempt = ${claim.attempt}::int
      where ${isLeasedTo(claim)} returning s.id`,
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
export function release(claim: Claim, seconds: number, counts: boolean) {
  return sql<{ id: string }>`update sources s set lease_token = null, lease_expires_at = null,
      attempt = ${counts ? claim.attempt : 0}::int, resume_at = now() + make_interval(secs => ${seconds}),
      resend_at = now() + make_interval(secs => ${seconds} + 120)
    where ${isLeasedTo(claim)} returning s.id`
}

const ended = sql`lease_token = null, lease_expires_at = null, resume_at = null, attempt = 0, checked_at = now(), resend_at = now()`
/** True if a refresh was requested meanwhile, which is still due. */
const isRefreshed = sql<boolean>`(${s.next_check_at} <= now())`

/** Statements that end a crawl whose changes are made. @param max the most pages of a source of its kind */
export function succeed(claim: Claim, max: number) {
  const notice = sql`case
    when ${countPages(claim)} >= ${maxPages} then ${`The organization has ${maxPages.toLocaleString('en')} pages of sources, which is the maximum: others are left out.`}
    when ${max > 1} and (select count(*) from source_pages p where p.organization_id = s.organization_id and p.source_id = s.id) >= ${max}::int
      then ${`The source has ${max} pages, which is the maximum: others are left out.`} end`
  return {
    ended: sql<{
      id: string
    }>`update sources s set ${ended}, status = case when ${isRefreshed} then 'pending' else 'ready' end,
        error_message = null, notice = ${notice}, failures = 0
      where ${isLeasedTo(claim)} returning s.id`,
  }
}

/**
 * Statements that end a crawl which changes nothing. The next attempt follows after 15 minutes, later ones after twice as long each time,
 * up to `refresh_hours`. @param message tells people what failed
 */
export function fail(claim: Claim, message: string) {
  return {
    cleared: sql`update source_pages p set task = null, title = null, content = null from sources s
      where ${isLeasedTo(claim)} and p.organization_id = s.organization_id and p.source_id = s.id`,
    ended: sql<{ id: string }>`update sources s set ${ended}, failures = s.failures + 1,
        status = case when ${isRefreshed} then 'pending' else 'error' end,
        error_message = case when not ${isRefreshed} then ${message}::text end,
        next_check_at = least(s.next_check_at, now() + make_interval(mins => 15) * least(2 ^ s.failures, 4 * s.refresh_hours))
      where ${isLeasedTo(claim)} returning s.id`,
  }
}

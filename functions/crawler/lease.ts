import { type Expression, sql } from 'kysely'
import type { Database, Statement } from '../../shared/database/database.ts'
import type { WebsiteScope } from '../../shared/database/scope.ts'
import type { SitemapReading, WebsiteKind, WebsiteStatus } from '../../shared/database/website-tables.ts'
import type { AgentId } from '../../shared/ids.ts'
import * as transitions from '../../shared/websites/transitions.ts'
import { crawling, isClaimable, isDue, isLeasedTo, mustWait } from '../../shared/websites/transitions.ts'
import { countPages, maxPages, maxPagesOf } from '../../shared/websites/websites.ts'
import { type Message, type Origin, originOf } from '../../shared/work/message.ts'

/** A crawl that a worker has claimed: the lease fences all of the worker's writes. */
export interface Claim extends WebsiteScope {
  leaseToken: string
  url: string
  kind: WebsiteKind
  status: WebsiteStatus
  include: string[]
  exclude: string[]
  /** The crawl's number among those of the website. */
  crawl: number
  /** Leases in a row that ended without a page, this one included. */
  attempt: number
  /** The part of the sitemap that this crawl has yet to read. */
  sitemap: SitemapReading | null
  origin: Origin
}

/** Another worker has the lease, or the website is gone. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'
}

const claimedColumns = [
  'agent_id',
  'url',
  'kind',
  'status',
  'include',
  'exclude',
  'crawl',
  'attempt',
  'sitemap',
  'request_id',
  'requested_by',
] as const

/** Claims a website whose crawl is due or was interrupted. If it must wait, the sweeper sends its message again. The same token may claim again. */
export async function claimWebsite(
  db: Database,
  { organizationId, id: sourceId }: Message<'source'>,
  leaseToken: string,
): Promise<Claim | undefined> {
  const token = sql<string>`${leaseToken}::uuid`
  const isIt = sql`s.organization_id = ${organizationId} and s.id = ${sourceId}`
  const { rows } = await db.batch({
    // Makes an organization's claims see each other.
    locked: sql`select pg_advisory_xact_lock(hashtextextended(${organizationId}, 3))`,
    rows: crawling.update(sql`${isIt} and ${isClaimable(token)}`, transitions.claim(token), claimedColumns),
    postponed: crawling.update(sql`${isIt} and ${isDue} and ${mustWait()}`, transitions.postpone()),
  })
  const [row] = rows
  if (!row) return undefined
  const { agent_id, request_id: _, requested_by: __, ...rest } = row
  return {
    ...rest,
    organizationId,
    agentId: agent_id as AgentId,
    sourceId,
    leaseToken,
    origin: originOf(row),
  }
}

/** Runs the statements and renews the lease, if it is still held. @throws LeaseLost */
export async function fenced<const Q extends Readonly<Record<string, Statement>>>(
  db: Database,
  claim: Claim,
  statements: (isLeased: Expression<boolean>) => Q,
) {
  const isLeased = sql<boolean>`exists (select from sources s where ${isLeasedTo(claim)})`
  const { renewed, ...results } = await db.batch({
    renewed: crawling.update(isLeasedTo(claim), transitions.renew(claim.attempt)),
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

/** The statement that ends a crawl whose changes are made. */
export function endCrawl(claim: Claim) {
  const max = maxPagesOf[claim.kind]
  const notice = sql<string | null>`case
    when ${countPages(claim)} >= ${maxPages} then ${`The organization has ${maxPages.toLocaleString('en')} pages of sources, which is the maximum: others are left out.`}
    when ${max > 1} and (select count(*) from source_pages p where p.organization_id = s.organization_id and p.source_id = s.id) >= ${max}::int
      then ${`The source has ${max} pages, which is the maximum: others are left out.`} end`
  return crawling.update(isLeasedTo(claim), transitions.succeed(notice))
}

/** Statements that end a crawl which changes nothing. @param message tells people what failed */
export function endInError(claim: Claim, message: string) {
  return {
    cleared: sql`update source_pages p set task = null, title = null, content = null from sources s
      where ${isLeasedTo(claim)} and p.organization_id = s.organization_id and p.source_id = s.id`,
    ended: crawling.update(isLeasedTo(claim), transitions.fail(message)),
  }
}

import { randomUUID } from 'node:crypto'
import type { Database } from '../../shared/database/database.ts'
import { ApiError } from '../../shared/http/errors.ts'
import { describeError, log } from '../../shared/telemetry/log.ts'
import { report } from '../../shared/telemetry/metrics.ts'
import { backoff } from '../../shared/time/backoff.ts'
import { Unavailable } from '../../shared/unavailable.ts'
import { canonical } from '../../shared/websites/address.ts'
import { deleteNext } from '../../shared/websites/delete-website.ts'
import { crawling, isLeasedTo, pause } from '../../shared/websites/transitions.ts'
import { crawlOf, maxPagesOf } from '../../shared/websites/websites.ts'
import { idsOf, type Message } from '../../shared/work/message.ts'
import { enqueue, type Queue, type Sender } from '../../shared/work/outbox.ts'
import { applyNext } from './apply.ts'
import { type Claim, claimWebsite, endCrawl, endInError, fenced, LeaseLost } from './lease.ts'
import { begin, givenBefore, hashPage, knownAddresses, nextPages, storeListed, storeLook, storePage } from './pages.ts'
import { planChanges } from './plan.ts'
import { inScope } from './site/address.ts'
import type { Client } from './site/client.ts'
import { type Fetched, fetchPage } from './site/page.ts'
import { type Robots, robotsOf } from './site/robots.ts'
import { isSamePage } from './site/same-page.ts'
import { begunReading, readNext } from './site/sitemap.ts'

export interface Crawler {
  db: Database
  /** The queue that sends this Lambda its messages. */
  queue: Queue
  /** The queue of documents that await embedding. */
  embeddingQueue: Sender
  client: Client
  random?: () => number
}

/** The longest that a page takes, with pauses, a second request and the storing of its text. */
const lastStartMilliseconds = 120_000
const pagesAtOnce = 20
/** Each may have 255 characters. */
const addressesAtOnce = 20_000
/** The crawl ends after this many pages in a row that do not answer. */
const maxFailuresInRow = 10

/** The crawl must end and change nothing; the message tells people why. */
class Refused extends Error {
  override readonly name = 'Refused'
}

/** The Lambda's time is nearly up, so another message continues the crawl. */
class Paused extends Error {
  override readonly name = 'Paused'
}

interface Job extends Crawler {
  claim: Claim
  remaining: () => number
  /** The canonical address of the website. */
  start: string
  robots: Map<string, Robots>
}

/** Continues a crawl for as long as there is time. @param remaining milliseconds @throws Unavailable without the database */
export async function crawlWebsite(
  crawler: Crawler,
  message: Message<'source'>,
  remaining: () => number,
): Promise<undefined> {
  const db = crawler.db.forOrganization(message.organizationId)
  const claim = await claimWebsite(db, message, randomUUID())
  if (!claim) return
  const job = { ...crawler, db, claim, remaining, start: canonical(claim.url) ?? claim.url, robots: new Map() }
  try {
    if (claim.status !== 'deleting' && claim.attempt > crawling.maxAttempts)
      throw new Refused('The crawl was interrupted five times in a row.')
    await (claim.status === 'deleting' ? deleteRest(job) : crawl(job))
  } catch (error) {
    await settle(job, error)
  }
}

async function deleteRest(job: Job): Promise<void> {
  do requireTime(job)
  while (!(await deleteNext(job.db, job.claim)))
}

async function crawl(job: Job): Promise<void> {
  const { db, claim } = job
  await list(job)
  await look(job)
  const isPlanned = await applyNext({ db, queue: job.embeddingQueue }, claim)
  const refused = isPlanned ? undefined : await planChanges(db, claim, job.start)
  if (refused) throw new Refused(refused)
  do requireTime(job)
  while (await applyNext({ db, queue: job.embeddingQueue }, claim))
  const { ended } = await fenced(db, claim, () => ({ ended: endCrawl(claim) }))
  report({ SourcesChecked: ended.length })
  log.info('source_checked', { ...logged(claim) })
}

/** Lists the pages that this crawl reads; of a sitemap, one file after the other. */
async function list(job: Job): Promise<void> {
  const { db, claim, client, start } = job
  const { known, isBegun } = await knownAddresses(db, claim)
  const isSitemap = claim.kind === 'sitemap'
  const isRead = (address: string) => inScope(claim, address) || (address === start && !isSitemap)
  const max = maxPagesOf[claim.kind]
  let reading = isBegun ? claim.sitemap : isSitemap ? begunReading(start) : null
  if (!isBegun) await begin(db, claim, { known, isRead }, { addresses: isSitemap ? [] : [start], max }, reading)
  while (reading) {
    requireTime(job)
    const file = await readNext(client, reading, await robotsFor(job, reading.files[reading.at]!.address))
    if ('reason' in file) throw new Refused(file.reason)
    const addresses = file.addresses.filter(isRead)
    while (addresses.length > addressesAtOnce)
      await storeListed(db, claim, { addresses: addresses.splice(0, addressesAtOnce), max }, reading)
    reading = file.reading
    await storeListed(db, claim, { addresses, max }, reading)
  }
}

/** Reads every listed page, and the pages to which they link. */
async function look(job: Job): Promise<void> {
  const { db, claim, client, start } = job
  let failures = 0
  for (;;) {
    const pages = await nextPages(db, claim, start, pagesAtOnce)
    if (pages.length === 0) return
    for (const { address, etag, last_modified: lastModified } of pages) {
      requireTime(job)
      const robots = await robotsFor(job, address)
      const allows = (to: string) => robots.allows(to) && (inScope(claim, to) || address === start)
      const fetched: Fetched = robots.allows(address)
        ? await fetchPage(client, address, { etag, lastModified, allows })
        : { kind: 'left_out', reason: 'The website’s robots.txt does not allow to read it.' }
      report({ PagesFetched: 1 })
      failures = fetched.kind === 'failed' ? failures + 1 : 0
      if (fetched.kind === 'failed' && (address === start || failures >= maxFailuresInRow))
        throw new Refused(`The website does not answer. ${fetched.reason}`)
      await store(job, address, fetched)
    }
  }
}

async function store(job: Job, address: string, fetched: Fetched): Promise<void> {
  const { db, claim } = job
  const isPage = fetched.kind === 'page'
  const found = 'links' in fetched && claim.kind === 'site' ? (fetched.links ?? []) : []
  const links = found.filter((link) => inScope(claim, link))
  const listing = { addresses: links, max: maxPagesOf[claim.kind] }
  if (!isPage) {
    const reason = 'reason' in fetched ? fetched.reason : null
    await storeLook(db, claim, address, { kind: fetched.kind, reason }, listing)
  } else if (inScope(claim, fetched.address)) {
    await storePage(db, claim, address, fetched, await isChanged(job, fetched), listing)
  } else {
    const reason = 'It is looked at only for the links on it.'
    await storeLook(db, claim, address, { kind: 'left_out', reason }, listing)
  }
}

async function isChanged({ db, claim, client }: Job, page: Extract<Fetched, { kind: 'page' }>): Promise<boolean> {
  const given = await givenBefore(db, claim, page.address)
  if (!given) return true
  if (given.applied_hash.equals(hashPage(page))) return false
  if (given.content === null || given.revised_at === null) return true
  const before = { text: given.content, at: given.revised_at }
  return !(await isSamePage(client, page.address, before, { text: page.text, at: new Date() }))
}

async function robotsFor({ client, robots }: Job, address: string): Promise<Robots> {
  const { host } = new URL(address)
  const rules = robots.get(host) ?? (await robotsOf(client, address))
  robots.set(host, rules)
  if (rules.failed) throw new Refused(rules.failed)
  return rules
}

/** @throws Paused when the Lambda's time is nearly up */
function requireTime({ remaining }: Job): void {
  if (remaining() < lastStartMilliseconds) throw new Paused()
}

/** @throws Unavailable without the database: the lease expires then, and the sweeper sends another message */
async function settle(job: Job, error: unknown): Promise<void> {
  const { claim, random = Math.random } = job
  if (error instanceof LeaseLost) return log.info('lease_lost', logged(claim))
  if (error instanceof Unavailable) throw error
  if (error instanceof Refused) return await end(job, error.message)
  if (error instanceof Paused) return await resume(job, 0, false)
  // The organization's pipeline is full, and drains by itself.
  if (error instanceof ApiError && error.code === 'rate_limited') return await resume(job, 60 + 240 * random(), false)
  log.error('crawl_failed', { ...logged(claim), error: describeError(error) })
  if (claim.attempt < crawling.maxAttempts || claim.status === 'deleting')
    return await resume(job, backoff(claim.attempt, undefined, random()), true)
  await end(job, 'The crawl failed five times in a row because of an internal error.')
}

/** @param counts true if this lease has brought no page */
async function resume({ db, queue, claim }: Job, seconds: number, counts: boolean): Promise<void> {
  const change = pause(seconds, counts ? claim.attempt : 0)
  const { rows } = await crawling.update(isLeasedTo(claim), change).execute(db)
  if (rows.length > 0) await enqueue({ db, queue }, crawlOf(claim, claim.origin), seconds)
}

async function end({ db, claim }: Job, message: string): Promise<void> {
  const { ended } = await db.batch(endInError(claim, message))
  if (ended.length === 0) return
  report({ SourcesFailed: 1 })
  log.warn('source_failed', logged(claim))
}

function logged(claim: Claim) {
  return { ...idsOf(crawlOf(claim, claim.origin)), crawl: claim.crawl, attempt: claim.attempt }
}

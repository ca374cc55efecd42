import { createHash } from 'node:crypto'
import { type Expression, sql } from 'kysely'
import type { Database } from '../../shared/database/database.ts'
import { recordset } from '../../shared/database/recordset.ts'
import type { SitemapReading } from '../../shared/database/website-tables.ts'
import { crawling, isLeasedTo, keepSitemap } from '../../shared/websites/transitions.ts'
import { countPages, lockWebsites, maxPages } from '../../shared/websites/websites.ts'
import { type Claim, fenced, fencedProgress } from './lease.ts'
import { foldDoubles, type KnownAddress } from './site/doubles.ts'
import type { Fetched } from './site/page.ts'

export const isOwn = ({ organizationId, sourceId }: Claim) =>
  sql<boolean>`(p.organization_id = ${organizationId} and p.source_id = ${sourceId})`

/** The document of a page `p`. */
export const isDocumentOfPage = sql`d.organization_id = p.organization_id and d.agent_id = p.agent_id
  and d.source_id = p.source_id and d.external_id = p.address`

/** The known addresses, and whether this crawl has begun to list its pages. @throws LeaseLost */
export async function knownAddresses(db: Database, claim: Claim): Promise<{ known: KnownAddress[]; isBegun: boolean }> {
  const { known } = await fenced(db, claim, () => ({
    known: sql<KnownAddress & { is_begun: boolean }>`
      select p.address, p.crawl = ${claim.crawl} as is_begun, d.created_at as document_since
      from source_pages p left join documents d on ${isDocumentOfPage} where ${isOwn(claim)}`,
  }))
  return { known, isBegun: claim.sitemap !== null || known.some(({ is_begun }) => is_begun) }
}

interface Listing {
  addresses: string[]
  /** The most pages of the website. */
  max: number
}

/**
 * Lists the addresses and all known pages that are still in scope, each once, so that the crawl reads them. @throws LeaseLost
 * @param sitemap the part yet to be read, which lists more
 */
export async function begin(
  db: Database,
  claim: Claim,
  { known, isRead }: { known: KnownAddress[]; isRead: (address: string) => boolean },
  listing: Listing,
  sitemap: SitemapReading | null,
): Promise<void> {
  const { renamed, doubles } = foldDoubles(known)
  const excluded = [...doubles, ...known.flatMap(({ address }) => (isRead(address) ? [] : address))]
  const names = recordset('r', { address: 'text', to: 'text' }, renamed)
  const isOfAgent = sql`d.organization_id = ${claim.organizationId} and d.agent_id = ${claim.agentId}`
  const isFree = sql`not exists (select from documents d where ${isOfAgent} and d.external_id = r.to
    and d.source_id is distinct from ${claim.sourceId})`
  await fenced(db, claim, (isLeased) => ({
    known: sql`update source_pages p set crawl = ${claim.crawl}, task = 'fetch', found = null, at = null, title = null, content = null
      where ${isOwn(claim)} and ${isLeased}`,
    excluded: sql`update source_pages p set task = null, found = 'excluded', left_out = 'Its path is not one of those that are read.'
      where ${isOwn(claim)} and ${isLeased} and p.address = any(${excluded}::text[])`,
    ...(renamed.length > 0 && {
      replaced: sql`delete from source_pages p using ${names} where ${isOwn(claim)} and ${isLeased} and p.address = r.to and ${isFree}`,
      documents: sql`update documents d set external_id = r.to from ${names}
        where ${isOfAgent} and d.source_id = ${claim.sourceId} and d.external_id = r.address and ${isLeased} and ${isFree}`,
      renamed: sql`update source_pages p set address = r.to from ${names}
        where ${isOwn(claim)} and ${isLeased} and p.address = r.address and ${isFree}`,
    }),
    ...list(claim, listing, isLeased),
    read: crawling.update(isLeasedTo(claim), keepSitemap(sitemap)),
  }))
}

/** Lists the addresses of a sitemap's file, and stores the part of the sitemap yet to be read. @throws LeaseLost */
export async function storeListed(db: Database, claim: Claim, listing: Listing, sitemap: SitemapReading | null) {
  await fencedProgress(db, claim, (isLeased) => ({
    ...list(claim, listing, isLeased),
    read: crawling.update(isLeasedTo(claim), keepSitemap(sitemap)),
  }))
}

/** The number of pages that the limits of website and organization still allow. */
const room = (claim: Claim, max: number) =>
  sql<number>`greatest(0, least(${max}::int - (select count(*) from source_pages p where ${isOwn(claim)}),
    ${maxPages} - ${countPages(claim)}))`

/** The statements that list unknown addresses in their order, as far as there is room. */
function list(claim: Claim, { addresses, max }: Listing, isLeased: Expression<boolean>) {
  const { organizationId, agentId, sourceId, crawl } = claim
  const rows = [...new Set(addresses)].map((address, place) => ({ address, place }))
  return {
    locked: lockWebsites(claim),
    listed: sql`insert into source_pages (organization_id, agent_id, source_id, address, crawl, task)
      select ${organizationId}, ${agentId}, ${sourceId}, a.address, ${crawl}::int, 'fetch'
      from ${recordset('a', { address: 'text', place: 'int' }, rows)}
      where ${isLeased} and not exists (select from source_pages p where ${isOwn(claim)} and p.address = a.address)
      order by a.place limit ${room(claim, max)} on conflict do nothing`,
  }
}

export interface ListedPage {
  address: string
  etag: string | null
  last_modified: string | null
}

/**
 * The next pages to read: the start, then the shortest addresses, which lead to the others. A page is read in full if its document
 * differs from the text found last. @throws LeaseLost
 */
export async function nextPages(db: Database, claim: Claim, start: string, limit: number): Promise<ListedPage[]> {
  const { pages } = await fenced(db, claim, () => ({
    pages: sql<ListedPage>`select p.address, case when p.applied_hash = p.found_hash then p.etag end as etag,
        case when p.applied_hash = p.found_hash then p.last_modified end as last_modified from source_pages p
      where ${isOwn(claim)} and p.task = 'fetch'
      order by p.address <> ${start}, char_length(p.address), p.address limit ${limit}`,
  }))
  return pages
}

/** Stores the result of a request that brought no text. @throws LeaseLost */
export async function storeLook(
  db: Database,
  claim: Claim,
  address: string,
  { kind, reason }: { kind: Exclude<Fetched['kind'], 'page'>; reason: string | null },
  listing: Listing,
): Promise<void> {
  await fencedProgress(db, claim, (isLeased) => ({
    stored: sql`update source_pages p set task = null, found = ${kind}, left_out = ${reason}::text, looked_at = now()
      where ${isOwn(claim)} and p.address = ${address} and ${isLeased}`,
    ...list(claim, listing, isLeased),
  }))
}

type Page = Extract<Fetched, { kind: 'page' }>

/** The text last written to a page's document. */
export interface Given {
  applied_hash: Buffer
  /** Null if the document is deleted, or no longer the website's. */
  content: string | null
  revised_at: Date | null
}

export async function givenBefore(db: Database, claim: Claim, address: string): Promise<Given | undefined> {
  const { given } = await fenced(db, claim, () => ({
    given: sql<Given>`select p.applied_hash, d.content, d.revised_at from source_pages p left join documents d on ${isDocumentOfPage}
      where ${isOwn(claim)} and p.address = ${address} and p.applied_hash is not null`,
  }))
  return given[0]
}

/** Stores a page's text with its own address, unless this crawl has it already or there is no room, and lists its links. @throws LeaseLost */
export async function storePage(
  db: Database,
  claim: Claim,
  address: string,
  page: Page,
  isChanged: boolean,
  listing: Listing,
): Promise<void> {
  const { organizationId, agentId, sourceId, crawl } = claim
  const kept = isChanged ? { title: page.title, content: page.text } : { title: null, content: null }
  const leadsTo = `It leads to ${page.address}`
  const isKnown = sql<boolean>`exists (select from source_pages p where ${isOwn(claim)} and p.address = ${page.address})`
  await fencedProgress(db, claim, (isLeased) => {
    const { locked, listed } = list(claim, listing, isLeased)
    return {
      locked,
      stored: sql`insert into source_pages as p (organization_id, agent_id, source_id, address, crawl, found, title, content, characters,
        text_hash, is_changed, found_hash, etag, last_modified, looked_at)
      select ${organizationId}, ${agentId}, ${sourceId}, ${page.address}, ${crawl}::int, 'page', ${kept.title}::text, ${kept.content}::text,
        ${page.text.length}::int, ${hash(page.text)}::bytea, ${isChanged}::boolean, ${hashPage(page)}::bytea,
        ${page.etag}::text, ${page.lastModified}::text, now() where ${isLeased} and (${isKnown} or ${room(claim, listing.max)} > 0)
      on conflict (organization_id, source_id, address) do update set task = null, crawl = excluded.crawl, found = 'page', at = null,
        left_out = null, title = excluded.title, content = excluded.content, characters = excluded.characters,
        text_hash = excluded.text_hash, is_changed = excluded.is_changed, found_hash = excluded.found_hash, etag = excluded.etag,
        last_modified = excluded.last_modified, looked_at = now()
      where p.task = 'fetch'`,
      ...(page.address !== address && {
        alias: sql`update source_pages p set task = null, found = case when ${isKnown} then 'page' else 'failed' end,
          at = case when ${isKnown} then ${page.address} end, is_moved = ${page.isMoved}::boolean,
          left_out = case when ${isKnown} then ${leadsTo} else ${`${leadsTo}, which is more than the maximum of pages.`} end,
          etag = null, last_modified = null, looked_at = now()
        where ${isOwn(claim)} and p.address = ${address} and ${isLeased}`,
      }),
      listed,
    }
  })
}

/** The SHA-256 of title and text. */
export function hashPage({ title, text }: Pick<Page, 'title' | 'text'>): Buffer {
  return hash(`${title}\n${text}`)
}

function hash(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

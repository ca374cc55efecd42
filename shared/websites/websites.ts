import { type Selectable, sql } from 'kysely'
import { columnsOf } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { type AgentScope, isAgent, type WebsiteScope } from '../database/scope.ts'
import type { Tables } from '../database/tables.ts'
import { ApiError } from '../http/errors.ts'
import { requireAgent } from '../http/not-found.ts'
import { newId, type WebsiteId } from '../ids.ts'
import type { Message, Origin } from '../work/message.ts'
import { enqueue, type Outbox } from '../work/outbox.ts'
import { canonical } from './address.ts'
import { changePaths, crawling, isKept, isWebsite, refresh, reschedule } from './transitions.ts'

/** Websites of an organization. */
export const maxWebsites = 20
/** Pages of all websites of an organization. */
export const maxPages = 5000
/** Pages of one website. A single page may redirect to other addresses over time. */
export const maxPagesOf = { page: 10, site: 500, sitemap: maxPages }

/** The lock of all transactions that count an organization's websites or pages and add some. */
export function lockWebsites({ organizationId }: Pick<AgentScope, 'organizationId'>) {
  return sql`select pg_advisory_xact_lock(hashtextextended(${organizationId}, 2))`
}

const s = columnsOf('sources', 's')

const shown = [
  'id',
  'url',
  'kind',
  'include',
  'exclude',
  'refresh_hours',
  'status',
  'error_message',
  'notice',
  'checked_at',
  'next_check_at',
  'deleted_at',
  'created_at',
] as const
const columns = sql`${sql.join(shown.map((column) => s[column]))},
  (select count(*)::int from documents d where d.organization_id = s.organization_id and d.source_id = s.id) as page_count`

/** An address that is followed; its pages become documents. The API and the database call it a source. */
export type Website = Pick<Selectable<Tables['sources']>, (typeof shown)[number]> & { page_count: number }

export type WebsiteInput = Pick<Website, 'url' | 'kind' | 'include' | 'exclude' | 'refresh_hours'>

const isOfAgent = ({ organizationId, agentId }: AgentScope) =>
  sql<boolean>`(${s.organization_id} = ${organizationId} and ${s.agent_id} = ${agentId})`

/** Newest first, after the website with the given id; those in the trash, or the others. @throws ApiError agent_not_found */
export async function listWebsites(
  db: Database,
  scope: AgentScope,
  { limit, after, trashed = false }: { limit: number; after?: string | undefined; trashed?: boolean | undefined },
): Promise<{ sources: Website[]; hasMore: boolean }> {
  const { sources } = await db.batch({
    sources: sql<Website>`select ${columns} from sources s
      where ${isOfAgent(scope)} and (s.deleted_at is not null) = ${trashed} and ${after === undefined ? sql`true` : sql`s.id < ${after}`} order by s.id desc limit ${limit + 1}`,
  })
  if (sources.length === 0) await requireAgent(db, scope)
  return { sources: sources.slice(0, limit), hasMore: sources.length > limit }
}

/** @throws ApiError agent_not_found, source_not_found */
export async function getWebsite(db: Database, scope: WebsiteScope): Promise<Website> {
  const found = sql<Website>`select ${columns} from sources s where ${isWebsite(scope)} and s.deleted_at is null`
  return await requireWebsite(db, scope, (await found.execute(db)).rows)
}

/** Creates a source, whose pages are read in the background. @throws ApiError agent_not_found, source_exists, validation_failed past a limit of the organization */
export async function createWebsite(
  outbox: Outbox,
  scope: AgentScope,
  { url, kind, include, exclude, refresh_hours }: WebsiteInput,
  origin: Origin,
): Promise<Website> {
  const { organizationId } = scope
  const sourceId = newId() as WebsiteId
  const counts = countWebsites(scope)
  const address = canonical(url) ?? new URL(url).href
  const { held, same, created } = await outbox.db.batch({
    locked: lockWebsites(scope),
    held: counts,
    same: sql`select s.id from sources s where ${isOfAgent(scope)} and s.address = ${address}`,
    created: sql`insert into sources (organization_id, id, agent_id, url, address, kind, include, exclude, refresh_hours, request_id, requested_by)
      select a.organization_id, ${sourceId}, a.id, ${url}, ${address}, ${kind}, ${include}::text[], ${exclude}::text[], ${refresh_hours}::int,
        ${origin.requestId ?? null}, ${origin.by ?? null}::uuid
      from agents a, (${counts}) held
      where ${isAgent(scope)} and held.sources < ${maxWebsites} and held.pages < ${maxPages}
      on conflict on constraint sources_address do nothing returning id`,
  })
  if (same.length > 0) rejectSame()
  if (created.length === 0) {
    await requireAgent(outbox.db, scope)
    rejectPastLimit(held[0]!)
  }
  await enqueue(outbox, crawlOf({ organizationId, sourceId }, origin))
  return await getWebsite(outbox.db, { ...scope, sourceId })
}

/** The number of pages of the organization's websites outside the trash. */
export function countPages({ organizationId }: Pick<AgentScope, 'organizationId'>) {
  return sql<number>`(select count(*)::int from source_pages p join sources t on t.organization_id = p.organization_id and t.id = p.source_id
    where p.organization_id = ${organizationId} and t.deleted_at is null)`
}

/** Counts the websites and pages against the organization's limits. */
export function countWebsites({ organizationId }: Pick<AgentScope, 'organizationId'>) {
  return sql<{ sources: number; pages: number }>`select (select count(*)::int from sources
    where organization_id = ${organizationId} and deleted_at is null) as sources, ${countPages({ organizationId })} as pages`
}

export function rejectSame(cause?: unknown): never {
  throw new ApiError('source_exists', 'The agent has a source with this address already.', { cause })
}

export function rejectPastLimit({ sources }: { sources: number }): never {
  const [limit, what] =
    sources >= maxWebsites ? [maxWebsites, 'sources'] : [maxPages, 'pages of sources, left-out ones included']
  throw new ApiError(
    'validation_failed',
    `An organization can have at most ${limit.toLocaleString('en')} ${what}. Delete a source first.`,
  )
}

/** Changes a source. Other paths begin a crawl at once, and end the one in progress. @throws ApiError agent_not_found, source_not_found */
export async function updateWebsite(
  outbox: Outbox,
  scope: WebsiteScope,
  { include, exclude, refresh_hours }: Partial<Pick<WebsiteInput, 'include' | 'exclude' | 'refresh_hours'>>,
  origin: Origin,
): Promise<Website> {
  const { sources } = await outbox.db.batch({
    sources: sql<{ id: string }>`select s.id from sources s where ${isKept(scope)} for update`,
    ...(refresh_hours && {
      planned: crawling.update(isKept(scope), reschedule(refresh_hours)),
    }),
    ...((include || exclude) && {
      changed: crawling.update(isKept(scope), changePaths({ include, exclude }, origin)),
    }),
  })
  await requireWebsite(outbox.db, scope, sources)
  if (include || exclude) await enqueue(outbox, crawlOf(scope, origin))
  return await getWebsite(outbox.db, scope)
}

/** Starts a crawl after the one in progress, which may have read a page before it changed. @throws ApiError agent_not_found, source_not_found */
export async function refreshWebsite(outbox: Outbox, scope: WebsiteScope, origin: Origin): Promise<Website> {
  const { refreshed } = await outbox.db.batch({ refreshed: crawling.update(isKept(scope), refresh(origin)) })
  await requireWebsite(outbox.db, scope, refreshed)
  await enqueue(outbox, crawlOf(scope, origin))
  return await getWebsite(outbox.db, scope)
}

const pageColumns = sql`p.address, p.left_out, p.looked_at, p.gone_since,
  (select d.id from documents d where d.organization_id = p.organization_id and d.source_id = p.source_id
    and d.external_id = p.address) as document_id`

export type PageRow = Pick<Selectable<Tables['source_pages']>, 'address' | 'left_out' | 'looked_at' | 'gone_since'> & {
  document_id: string | null
}

/** A page of the list, by address, after the given one. @throws ApiError agent_not_found, source_not_found */
export async function listPages(
  db: Database,
  scope: WebsiteScope,
  { limit, after }: { limit: number; after?: string | undefined },
): Promise<{ pages: PageRow[]; hasMore: boolean }> {
  const { pages } = await db.batch({
    pages: sql<PageRow>`select ${pageColumns} from source_pages p
      where p.organization_id = ${scope.organizationId} and p.agent_id = ${scope.agentId} and p.source_id = ${scope.sourceId}
        and ${after === undefined ? sql`true` : sql`p.address > ${after}`} order by p.address limit ${limit + 1}`,
  })
  if (pages.length === 0) await getWebsite(db, scope)
  return { pages: pages.slice(0, limit), hasMore: pages.length > limit }
}

/** The message that starts or continues a website's crawl. */
export function crawlOf(
  { organizationId, sourceId }: Omit<WebsiteScope, 'agentId'>,
  origin: Origin,
): Message<'source'> {
  return { organizationId, kind: 'source', id: sourceId, ...origin }
}

export async function requireWebsite<Row>(db: Database, scope: AgentScope, [source]: Row[]): Promise<Row> {
  if (source) return source
  await requireAgent(db, scope)
  throw new ApiError('source_not_found', 'The agent has no source with this id.')
}

import { sql } from 'kysely'
import { violates } from '../database/database.ts'
import { rejectRestoring, restoring, trashDays } from '../documents/client/trash.ts'
import { bringBack } from '../documents/processing/transitions.ts'
import { commit } from '../knowledge/commit.ts'
import type { Origin } from '../queue.ts'
import { isOwn } from './delete-source.ts'
import {
  type CrawlOutbox,
  countSources,
  crawling,
  due,
  enqueue,
  getSource,
  isSource,
  lockSources,
  maxPages,
  maxSources,
  rejectPastLimit,
  rejectSame,
  type SourceRow,
  type SourceScope,
} from './sources.ts'

/**
 * Brings a source back from the trash with the documents that went there with it, and starts a crawl of its pages. A source that is not
 * in the trash stays as it is.
 * @throws ApiError agent_not_found, source_not_found, source_exists, external_id_conflict, validation_failed past a limit, rate_limited
 */
export async function restoreSource(outbox: CrawlOutbox, scope: SourceScope, origin: Origin): Promise<SourceRow> {
  const { db } = outbox
  // Later a crawler may be deleting it.
  const isInTrash = sql<boolean>`(${isSource(scope)} and s.deleted_at > now() - make_interval(days => ${trashDays}))`
  const isIts = sql<boolean>`(${isOwn(scope)} and d.deleted_at is not null
    and exists (select from sources s where ${isSource(scope)} and s.deleted_at is null))`
  const pages = sql<number>`(select count(*) from source_pages p where p.organization_id = s.organization_id and p.source_id = s.id)`
  const hasRoom = sql`exists (select from (${countSources(scope)}) held
    where held.sources < ${maxSources} and held.pages + ${pages} <= ${maxPages})`
  const { held, sources, restored } = await commit(db, scope, () => ({
    effects: [],
    make: (permit) =>
      db
        .batch({
          locked: lockSources(scope),
          held: countSources(scope),
          sources: sql`select s.id from sources s where ${isInTrash} for update`,
          documents: sql`select d.id from documents d where ${isOwn(scope)} order by d.id for update`,
          knowledge: permit.lock(),
          restored: crawling.update(sql`${isInTrash} and ${hasRoom}`, {
            deleted_at: null,
            address: sql`split_part(s.address, '#', 1)`,
            ...due(origin),
          }),
          // The sweeper sends those that are to be processed.
          broughtBack: restoring(db, scope, isIts, { ...bringBack, resend_at: sql<Date>`now()` }),
        })
        .catch(async (error) => {
          if (violates(error, 'sources_address')) rejectSame(error)
          return await rejectRestoring(db, scope, sql<boolean>`(${isOwn(scope)} and d.deleted_at is not null)`, error)
        }),
  }))
  if (sources.length > 0 && restored.length === 0) rejectPastLimit(held[0]!)
  if (restored.length > 0) await enqueue(outbox, { ...scope, ...origin })
  return await getSource(db, scope)
}

import { sql } from 'kysely'
import { violates } from '../database/database.ts'
import type { WebsiteScope } from '../database/scope.ts'
import { rejectRestoring, restoring } from '../documents/client/trash.ts'
import * as ofDocument from '../documents/processing/transitions.ts'
import { commit } from '../knowledge/commit.ts'
import type { Origin } from '../work/message.ts'
import { enqueue, type Outbox } from '../work/outbox.ts'
import { isOwn } from './delete-website.ts'
import { bringBack, crawling, isInTrash, isWebsite } from './transitions.ts'
import {
  countWebsites,
  crawlOf,
  getWebsite,
  lockWebsites,
  maxPages,
  maxWebsites,
  rejectPastLimit,
  rejectSame,
  type Website,
} from './websites.ts'

/**
 * Brings a website back from the trash with the documents that went there with it, and starts a crawl of its pages. A website that is not
 * in the trash stays as it is.
 * @throws ApiError agent_not_found, source_not_found, source_exists, external_id_conflict, validation_failed past a limit, rate_limited
 */
export async function restoreWebsite(outbox: Outbox, scope: WebsiteScope, origin: Origin): Promise<Website> {
  const { db } = outbox
  const isIts = sql<boolean>`(${isOwn(scope)} and d.deleted_at is not null
    and exists (select from sources s where ${isWebsite(scope)} and s.deleted_at is null))`
  const pages = sql<number>`(select count(*) from source_pages p where p.organization_id = s.organization_id and p.source_id = s.id)`
  const hasRoom = sql`exists (select from (${countWebsites(scope)}) held
    where held.sources < ${maxWebsites} and held.pages + ${pages} <= ${maxPages})`
  const { held, sources, restored } = await commit(db, scope, () => ({
    effects: [],
    make: (permit) =>
      db
        .batch({
          locked: lockWebsites(scope),
          held: countWebsites(scope),
          sources: sql`select s.id from sources s where ${isInTrash(scope)} for update`,
          documents: sql`select d.id from documents d where ${isOwn(scope)} order by d.id for update`,
          knowledge: permit.lock(),
          restored: crawling.update(sql`${isInTrash(scope)} and ${hasRoom}`, bringBack(origin)),
          // The sweeper sends those that are to be processed.
          broughtBack: restoring(db, scope, isIts, { ...ofDocument.bringBack, resend_at: sql<Date>`now()` }),
        })
        .catch(async (error) => {
          if (violates(error, 'sources_address')) rejectSame(error)
          return await rejectRestoring(db, scope, sql<boolean>`(${isOwn(scope)} and d.deleted_at is not null)`, error)
        }),
  }))
  if (sources.length > 0 && restored.length === 0) rejectPastLimit(held[0]!)
  if (restored.length > 0) await enqueue(outbox, crawlOf(scope, origin))
  return await getWebsite(db, scope)
}

import { sql } from 'kysely'
import { violates } from '../database/database.ts'
import type { WebsiteScope } from '../database/scope.ts'
import { rejectRestoring, restoring, servedAgain } from '../documents/client/trash.ts'
import * as ofDocument from '../documents/processing/transitions.ts'
import { commit, outdated } from '../knowledge/commit.ts'
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
 * in the trash stays as it is. @param ignores checks that would fail
 * @throws ApiError agent_not_found, source_not_found, source_exists, external_id_conflict, golden_questions_fail,
 * validation_failed past a limit, rate_limited
 */
export async function restoreWebsite(
  outbox: Outbox,
  scope: WebsiteScope,
  origin: Origin,
  ignores = false,
): Promise<Website> {
  const { db } = outbox
  const isTrashed = sql<boolean>`(${isOwn(scope)} and d.deleted_at is not null)`
  const isIts = sql<boolean>`(${isTrashed}
    and exists (select from sources s where ${isWebsite(scope)} and s.deleted_at is null))`
  const pages = sql<number>`(select count(*) from source_pages p where p.organization_id = s.organization_id and p.source_id = s.id)`
  const hasRoom = sql`exists (select from (${countWebsites(scope)}) held
    where held.sources < ${maxWebsites} and held.pages + ${pages} <= ${maxPages})`
  const trashed = sql<{
    has_room: boolean
  }>`select ${hasRoom} as has_room from sources s where ${isInTrash(scope)} for update`
  const { restored } = await commit(db, scope, () => ({
    effects: () => servedAgain(db, isTrashed),
    ignores,
    async make(permit) {
      const done = await db
        .batch({
          locked: lockWebsites(scope),
          held: countWebsites(scope),
          sources: trashed,
          documents: sql`select d.id from documents d where ${isOwn(scope)} order by d.id for update`,
          knowledge: permit.lock(),
          restored: crawling.update(sql`${isInTrash(scope)} and ${hasRoom} and ${permit.isValid}`, bringBack(origin)),
          // The sweeper sends those that are to be processed.
          broughtBack: restoring(db, scope, isIts, { ...ofDocument.bringBack, resend_at: sql<Date>`now()` }),
        })
        .catch(async (error) => {
          if (violates(error, 'sources_address')) rejectSame(error)
          return await rejectRestoring(db, scope, isTrashed, error)
        })
      const [source] = done.sources
      if (source && !source.has_room) rejectPastLimit(done.held[0]!)
      return done.restored.length > 0 || !source ? done : outdated
    },
    isMade: ({ restored }) => restored.length > 0,
  }))
  if (restored.length > 0) await enqueue(outbox, crawlOf(scope, origin))
  return await getWebsite(db, scope)
}

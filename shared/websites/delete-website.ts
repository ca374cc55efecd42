import { sql } from 'kysely'
import type { Database } from '../database/database.ts'
import type { WebsiteScope } from '../database/scope.ts'
import { processing } from '../documents/processing/guards.ts'
import * as ofDocument from '../documents/processing/transitions.ts'
import type { DocumentId } from '../ids.ts'
import { commit, outdated } from '../knowledge/commit.ts'
import type { Effect } from '../knowledge/search-after.ts'
import type { Origin } from '../work/message.ts'
import { enqueue, type Outbox } from '../work/outbox.ts'
import { crawling, discard, isKept, isWebsite, remove } from './transitions.ts'
import { crawlOf, getWebsite, requireWebsite, type Website } from './websites.ts'

/** Few enough for a short transaction: each document takes its chunks and vectors with it. */
const documentsAtOnce = 100
/** A request stops after this time, and leaves the rest to the crawler. */
const requestMilliseconds = 4_000

export const isOwn = ({ organizationId, sourceId }: WebsiteScope) =>
  sql<boolean>`(d.organization_id = ${organizationId} and d.source_id = ${sourceId})`

/**
 * Deletes a website with its documents, and ends a crawl in progress. A website in the trash has the status `deleting` too, but the crawler
 * deletes it only after 30 days. @param ignores checks that would fail
 * @returns undefined if the website is gone, else the website, whose other documents the crawler deletes
 * @throws ApiError agent_not_found, source_not_found, golden_questions_fail
 */
export async function deleteWebsite(
  outbox: Outbox,
  scope: WebsiteScope,
  { ignores, toTrash = false }: { ignores?: boolean | undefined; toTrash?: boolean | undefined },
  origin: Origin,
): Promise<Website | undefined> {
  const { db } = outbox
  const isIt = toTrash ? isKept(scope) : isWebsite(scope)
  const removals = async (): Promise<Effect[]> => {
    const { rows } = await sql<{ id: DocumentId }>`
      select d.id from documents d where ${isOwn(scope)} and d.active_revision is not null`.execute(db)
    return rows.map(({ id }) => ({ document_id: id, action: 'removes' }))
  }
  await commit(db, scope, () => ({
    effects: removals,
    ignores,
    async make(permit) {
      const { sources, marked } = await db.batch({
        sources: sql<{ id: string }>`select s.id from sources s where ${isIt} for update`,
        ...(toTrash && { held: sql`select d.id from documents d where ${isOwn(scope)} order by d.id for update` }),
        locked: permit.lock(),
        marked: crawling.update(sql`${isIt} and ${permit.isValid}`, (toTrash ? discard : remove)(origin)),
        ...(toTrash && { discarded: discardDocuments(scope) }),
      })
      await requireWebsite(db, scope, sources)
      return marked.length > 0 ? undefined : outdated
    },
  }))
  if (toTrash) return undefined
  const end = performance.now() + requestMilliseconds
  do if (await deleteNext(db, scope)) return undefined
  while (performance.now() < end)
  // Read first, since the crawler may finish before.
  const source = await getWebsite(db, scope)
  await enqueue(outbox, crawlOf(scope, origin))
  return source
}

/** Puts the documents into the trash, where they remain the website's. */
function discardDocuments(scope: WebsiteScope) {
  const isInTrash = sql`exists (select from sources s where ${isWebsite(scope)} and s.deleted_at is not null)`
  const change = { ...ofDocument.discard, source_id: sql<string>`d.source_id` }
  return processing.update(sql`${isOwn(scope)} and d.deleted_at is null and ${isInTrash}`, change)
}

/** Deletes a website's next documents, and with the last the website. @returns true if the website is gone */
export async function deleteNext(db: Database, scope: WebsiteScope): Promise<boolean> {
  const next = sql`select d.id from documents d where ${isOwn(scope)} order by d.id limit ${documentsAtOnce}`
  const { left } = await commit(db, scope, () => ({
    // The website's deletion was checked.
    effects: [],
    make: (permit) =>
      db.batch({
        // Waits for a crawl that is creating documents.
        sources: sql`select s.id from sources s where ${isWebsite(scope)} for update`,
        // All statements that lock several documents lock them in this order.
        held: sql`${next} for update`,
        locked: permit.lock(),
        documents: sql`delete from documents d where d.organization_id = ${scope.organizationId} and d.id = any(array(${next}))`,
        deleted: sql`delete from sources s where ${isWebsite(scope)} and s.status = 'deleting'
          and not exists (select from documents d where ${isOwn(scope)})`,
        left: sql<{ id: string }>`select s.id from sources s where ${isWebsite(scope)}`,
      }),
  }))
  return left.length === 0
}

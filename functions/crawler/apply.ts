import { sql } from 'kysely'
import * as v from 'valibot'
import type { Database } from '../../shared/database/database.ts'
import { recordset } from '../../shared/database/recordset.ts'
import type { DocumentScope } from '../../shared/database/scope.ts'
import type { PageTask } from '../../shared/database/website-tables.ts'
import { deleteDocument, hashContent } from '../../shared/documents/client/documents.ts'
import { editDocument } from '../../shared/documents/client/edit-document.ts'
import { takePage } from '../../shared/documents/client/edits.ts'
import { insertDocuments } from '../../shared/documents/client/insert-document.ts'
import { externalId } from '../../shared/documents/contract/input.ts'
import { create } from '../../shared/documents/processing/transitions.ts'
import { ApiError } from '../../shared/http/errors.ts'
import { pageBytes } from '../../shared/http/payload.ts'
import { type DocumentId, newId } from '../../shared/ids.ts'
import { isLeasedTo } from '../../shared/websites/transitions.ts'
import { enqueueAll, type Outbox } from '../../shared/work/outbox.ts'
import { type Claim, fenced, fencedProgress, LeaseLost } from './lease.ts'
import { isDocumentOfPage, isOwn } from './pages.ts'

const pagesAtOnce = 10
export const leftAlone = 'A person has deleted its document or made it their own, so it is left alone.'

/** A page whose document the crawl will change, with the document if there is one. */
interface PlannedPage {
  address: string
  task: PageTask
  title: string | null
  content: string | null
  document_id: string | null
  edits: number | null
}

/** The outcome for a page, with a reason if its document does not match it. */
interface Applied {
  address: string
  reason: string | null
  is_applied: boolean
  is_deleted: boolean
}

/**
 * Makes the next planned changes. May be repeated after an interruption. @returns true if there may be more
 * @throws LeaseLost; ApiError rate_limited while the pipeline is full; Unavailable
 */
export async function applyNext(outbox: Outbox, claim: Claim): Promise<boolean> {
  const { pages } = await fenced(outbox.db, claim, () => ({
    pages: sql<PlannedPage>`select * from (
        select p.address, p.task, p.title, p.content, d.id as document_id, d.edits, row_number() over planned as position,
          sum(coalesce(octet_length(p.content), 0)) over planned as bytes
        from source_pages p left join documents d on ${isDocumentOfPage} where ${isOwn(claim)} and p.task is not null
        window planned as (order by p.task, p.address) order by p.task, p.address limit ${pagesAtOnce}) p
      where position = 1 or bytes <= ${pageBytes} order by position`,
  }))
  if (pages.length === 0) return false
  const applied = await createPages(
    outbox,
    claim,
    pages.filter(({ task, document_id }) => task === 'create' && document_id === null),
  )
  for (const page of pages)
    if (!applied.some(({ address }) => address === page.address)) applied.push(await changePage(outbox, claim, page))
  await storeApplied(outbox.db, claim, applied)
  return true
}

const tooLong = 'Its text, with quotation marks and line breaks, is too long to be stored.'

const done = (address: string, { isDeleted = false } = {}): Applied => ({
  address,
  reason: null,
  is_applied: true,
  is_deleted: isDeleted,
})
const leftOut = (address: string, reason: string): Applied => ({
  address,
  reason,
  is_applied: false,
  is_deleted: false,
})

/** Creates the documents of these pages, as far as possible. Pages of an earlier attempt have one, and are not among them. */
async function createPages(outbox: Outbox, claim: Claim, pages: PlannedPage[]): Promise<Applied[]> {
  const unnamed = pages.filter(({ address }) => !v.is(externalId, address))
  const rest = pages.filter((page) => !unnamed.includes(page))
  const refused = unnamed.map(({ address }) => leftOut(address, 'The address has more than 255 characters.'))
  return [...refused, ...(await insertPages(outbox, claim, rest))]
}

async function insertPages(outbox: Outbox, claim: Claim, pages: PlannedPage[]): Promise<Applied[]> {
  if (pages.length === 0) return []
  try {
    await insert(outbox, claim, pages)
    return pages.map(({ address }) => done(address))
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (error.code === 'agent_not_found') throw new LeaseLost()
    if (error.code === 'external_id_conflict') return await insertOthers(outbox, claim, pages, error)
    if (error.code === 'payload_too_large') return pages.map(({ address }) => leftOut(address, tooLong))
    if (error.code !== 'validation_failed') throw error
    if (pages.length === 1) return [leftOut(pages[0]!.address, error.message)]
    const [half, ...parts] = [pages.slice(0, pages.length >> 1), pages.slice(pages.length >> 1)]
    return [...(await insertPages(outbox, claim, half!)), ...(await insertPages(outbox, claim, parts.flat()))]
  }
}

async function insert(outbox: Outbox, claim: Claim, pages: PlannedPage[]) {
  const { organizationId, agentId, sourceId, origin } = claim
  const documents = pages.map(({ address, title, content }) => ({
    id: newId(),
    title: title!,
    external_id: address,
    content: content!,
    content_hash: `\\x${hashContent(content!).toString('hex')}`,
    ...create(true, origin),
  }))
  const file = { source_type: 'txt', source_id: sql`${sourceId}::uuid` }
  const scope = { organizationId, agentId }
  // Waits for a request that puts the website into the trash, and then creates nothing.
  const guard = sql<boolean>`exists (select from sources s where ${isLeasedTo(claim)} for key share)`
  const { rows } = await insertDocuments(outbox.db, scope, { documents, file, guard })
  await enqueueAll(
    outbox,
    rows.map(({ id }) => ({ organizationId, kind: 'document', id: id as DocumentId, ...origin })),
  )
}

/** Creates the rest when documents have some addresses: the client's, another website's, or those of a lost attempt. */
async function insertOthers(outbox: Outbox, claim: Claim, pages: PlannedPage[], error: ApiError): Promise<Applied[]> {
  const taken = error.extra.external_ids as string[]
  const { rows } = await sql<{ external_id: string }>`select d.external_id from documents d
    where d.organization_id = ${claim.organizationId} and d.source_id = ${claim.sourceId}
      and d.external_id = any(${taken}::text[])`.execute(outbox.db)
  const own = new Set(rows.map(({ external_id }) => external_id))
  const known = pages.filter(({ address }) => taken.includes(address))
  // Empty if the other document was deleted in between.
  const rest = known.length > 0 ? pages.filter((page) => !known.includes(page)) : []
  const reason = 'Another document of the agent has this address as its external id.'
  const stored = (known.length > 0 ? known : pages).map(({ address }) =>
    own.has(address) ? done(address) : leftOut(address, reason),
  )
  return [...stored, ...(await insertPages(outbox, claim, rest))]
}

/** Updates or deletes one document, unless a person has edited it since it was read. */
async function changePage(outbox: Outbox, claim: Claim, page: PlannedPage): Promise<Applied> {
  const { address, task, title, content, document_id, edits } = page
  if (document_id === null) return { ...done(address, { isDeleted: task === 'delete' }), reason: leftAlone }
  const { organizationId, agentId, origin } = claim
  const scope: DocumentScope = { organizationId, agentId, documentId: document_id as DocumentId }
  const match = [`${edits}.0`]
  try {
    if (task === 'delete') await deleteDocument(outbox.db, scope, { match })
    else await editDocument(outbox, scope, takePage({ title: title!, content: content! }), { origin, match })
    return done(address, { isDeleted: task === 'delete' })
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (error.code === 'golden_questions_fail') return leftOut(address, brokenBy(task, error))
    if (error.code === 'rate_limited') throw error
    if (error.code === 'payload_too_large') return leftOut(address, tooLong)
    if (error.code === 'validation_failed') return leftOut(address, error.message)
    // The document was edited or deleted in between, and the next crawl decides.
    return leftOut(address, 'The document was changed while the page was read. The next look is compared with it.')
  }
}

function brokenBy(task: PlannedPage['task'], { extra }: ApiError): string {
  const questions = (extra.golden_questions as { question: string }[]).map(({ question }) => `“${question}”`)
  const change =
    task === 'delete' ? 'The page is gone, but without its document' : 'The page has changed, but with its new title'
  return `${change} golden questions that block would fail: ${questions.slice(0, 3).join(', ')}.`
}

/** Stores the outcomes. The next crawl tries again what failed. */
async function storeApplied(db: Database, claim: Claim, applied: Applied[]): Promise<void> {
  const columns = { address: 'text', reason: 'text', is_applied: 'boolean', is_deleted: 'boolean' } as const
  const rows = recordset('a', columns, applied)
  await fencedProgress(db, claim, (isLeased) => ({
    deleted: sql`delete from source_pages p using ${rows}
      where ${isOwn(claim)} and p.address = a.address and a.is_deleted and ${isLeased}`,
    applied: sql`update source_pages p set task = null, title = null, content = null, left_out = a.reason,
        applied_hash = case when a.is_applied then p.found_hash else p.applied_hash end
      from ${rows} where ${isOwn(claim)} and p.address = a.address and ${isLeased}`,
  }))
}

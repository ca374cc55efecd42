import { sql } from 'kysely'
import type { Database } from '../../database/database.ts'
import { type DocumentScope, isDocument } from '../../database/scope.ts'
import { ApiError } from '../../http/errors.ts'
import type { Tags } from '../../http/etag.ts'
import { findDocument } from '../../http/not-found.ts'
import { requireFitsResponse } from '../../http/payload.ts'
import type { Origin } from '../../work/message.ts'
import type { Outbox } from '../../work/outbox.ts'
import type { DocumentRow } from '../contract/document.ts'
import { editDocument } from './edit-document.ts'
import { restore } from './edits.ts'

export interface ListedRevision {
  /** The last revision with this content; the ones before it, if any, are earlier runs on the same content. */
  revision: number
  title: string
  /** UTF-8 bytes of the content; null for chunks of the client's own. */
  bytes: number | null
  created_at: Date
  /** The name of the key, or the person's mail address. */
  created_by: string | null
  served_at: Date | null
  is_served: boolean
}

export interface Revision extends ListedRevision {
  content: string | null
  /** Begin and end of each chunk in the content. */
  chunk_offsets: number[] | null
}

const listed = sql`s.revision, s.title, octet_length(s.content) as bytes, s.created_at, coalesce(k.name, p.mail) as created_by, s.served_at, s.is_served`

/** A document's kept revisions `s` and its current one, if search serves that; each with the key `k` or the person `p` who asked for it. */
function servedRevisions(scope: DocumentScope) {
  const { organizationId, documentId } = scope
  return sql`(
      select r.revision, r.text_revision, r.title, r.content, r.chunk_offsets, r.created_at, r.created_by, r.served_at,
        r.revision is not distinct from d.active_revision as is_served
      from documents d join document_revisions r on r.organization_id = ${organizationId} and r.document_id = ${documentId}
      where ${isDocument(scope)}
      union all
      select d.active_revision, d.text_revision, d.title,
        case d.managed_by when 'service' then coalesce(d.content, d.extracted_text) end, d.chunk_offsets, d.revised_at,
        d.revised_by, d.served_at, true
      from documents d where ${isDocument(scope)} and d.active_revision >= d.text_revision
    ) s left join api_keys k on k.organization_id = ${organizationId} and k.id = s.created_by
      left join people p on p.id = s.created_by`
}

/** The revision as search served it; undefined if it is not kept, or the document does not exist. */
export async function findRevision(
  db: Database,
  scope: DocumentScope,
  revision: number,
): Promise<Revision | undefined> {
  const { rows } = await sql<Revision>`select ${listed}, s.content, s.chunk_offsets from ${servedRevisions(scope)}
    where ${revision}::int between s.text_revision and s.revision`.execute(db)
  return rows[0]
}

/** @throws ApiError agent_not_found, document_not_found, revision_not_found */
export async function getRevision(db: Database, scope: DocumentScope, revision: number): Promise<Revision> {
  const found = await findRevision(db, scope, revision)
  if (found) return found
  await findDocument(db, scope)
  throw new ApiError(
    'revision_not_found',
    'Search has not served this revision of the document, or it is no longer kept.',
  )
}

/** Lists the kept revisions, newest first. @throws ApiError agent_not_found, document_not_found */
export async function listRevisions(
  db: Database,
  scope: DocumentScope,
  { limit, after }: { limit: number; after?: number | undefined },
): Promise<{ revisions: ListedRevision[]; hasMore: boolean }> {
  const { revisions } = await db.batch({
    revisions: sql<ListedRevision>`select ${listed} from ${servedRevisions(scope)}
      where ${after === undefined ? sql`true` : sql`s.revision < ${after}`} order by s.revision desc limit ${limit + 1}`,
  })
  if (revisions.length === 0) await findDocument(db, scope)
  return { revisions: revisions.slice(0, limit), hasMore: revisions.length > limit }
}

/** Restores the content of a revision; changes nothing if the document has it. @throws ApiError, Unavailable */
export async function restoreRevision(
  outbox: Outbox,
  scope: DocumentScope,
  revision: number,
  origin: Origin,
  match?: Tags,
): Promise<DocumentRow> {
  const { content } = await getRevision(outbox.db, scope, revision)
  requireFitsResponse(content)
  return (await editDocument(outbox, scope, restore(content), { origin, match })).document
}

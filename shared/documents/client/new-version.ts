import { sql } from 'kysely'
import { columnsOf } from '../../database/columns.ts'
import type { Database } from '../../database/database.ts'
import { type DocumentScope, isDocument } from '../../database/scope.ts'
import { ApiError } from '../../http/errors.ts'
import { findDocument } from '../../http/not-found.ts'
import type { DocumentId } from '../../ids.ts'
import type { Origin } from '../../work/message.ts'
import { enqueue, type Outbox } from '../../work/outbox.ts'
import { isHeld, isManagedByService, processing } from '../processing/guards.ts'
import { rejectPastQuota } from '../processing/quotas.ts'
import * as transitions from '../processing/transitions.ts'

const held = columnsOf('documents', 'held')

/** The columns of a file that the document which it replaces takes over. */
const fileColumns = [
  'source_type',
  'source_url',
  'file_bytes',
  'file_etag',
  'upload_until',
  'uploaded_at',
  'extracted_text',
  'page_starts',
  'file_notes',
  'pages_read',
  'pages',
  'content_hash',
] as const

/**
 * Makes the file and text of a held document a new revision of the document that it resembles, and deletes the held one. Title, dates
 * and corrections stay. If the resembled document is deleted, the held one continues. @param edits of the replaced document, as the person saw it; undefined for any
 * @throws ApiError agent_not_found, document_not_found, invalid_transition once it is answered, precondition_failed, rate_limited
 */
export async function replaceWithFile(
  { db, queue }: Outbox,
  scope: DocumentScope,
  edits: number | undefined,
  origin: Origin,
): Promise<DocumentId> {
  const replacedId = await findResembled(db, scope)
  if (replacedId === scope.documentId) {
    await keepBoth({ db, queue }, scope, origin)
    return replacedId
  }
  const replaced = { ...scope, documentId: replacedId }
  const { changed } = await db
    .batch({
      // All statements that lock several documents lock them in this order.
      locked: sql`select d.id from documents d
        where d.organization_id = ${scope.organizationId} and d.id in (${replacedId}, ${scope.documentId}) order by d.id for update`,
      changed: db
        .updateTable('documents as d')
        .from('documents as held')
        .set({
          ...transitions.restart(origin),
          content: null,
          ignores_golden_questions: false,
          corrections: sql`${columnsOf('documents', 'd').corrections} || ${held.corrections}`,
          ...Object.fromEntries(fileColumns.map((column) => [column, held[column]])),
        })
        .where(isDocument(replaced))
        .where(isManagedByService)
        .where(sql<boolean>`d.edits = coalesce(${edits ?? null}::int, d.edits)`)
        .where(sql<boolean>`held.organization_id = ${scope.organizationId} and held.id = ${scope.documentId}`)
        .whereRef('held.resembles', '=', 'd.id')
        .where(sql<boolean>`held.status = 'pending' and held.content_hash is not null`)
        .returning('d.id'),
      // Deletes the held document only if the statement before has moved its file.
      gone: sql`delete from documents d using documents other
        where ${isDocument(scope)} and other.organization_id = d.organization_id and other.id = d.resembles
          and other.source_url = d.source_url`,
    })
    .catch(rejectPastQuota)
  if (changed.length === 0) {
    await findResembled(db, scope)
    throw new ApiError('precondition_failed', 'The document that it would replace has been changed since.')
  }
  await enqueue({ db, queue }, { organizationId: scope.organizationId, kind: 'document', id: replacedId, ...origin })
  return replacedId
}

/**
 * Continues the processing of a held document beside the one that it resembles.
 * @throws ApiError agent_not_found, document_not_found, invalid_transition once it is answered
 */
export async function keepBoth({ db, queue }: Outbox, scope: DocumentScope, origin: Origin): Promise<void> {
  await findResembled(db, scope)
  const kept = await processing.update(sql`${isDocument(scope)} and ${isHeld}`, transitions.keepBoth).execute(db)
  if (kept.rows.length === 0) await findResembled(db, scope)
  const { organizationId, documentId } = scope
  await enqueue({ db, queue }, { organizationId, kind: 'document', id: documentId, ...origin })
}

/** @throws ApiError agent_not_found, document_not_found, invalid_transition */
async function findResembled(db: Database, scope: DocumentScope): Promise<DocumentId> {
  const found = db
    .selectFrom('documents as d')
    .select(['d.resembles', isHeld.as('is_held')])
    .where(isDocument(scope))
  const { resembles, is_held } = await findDocument(db, scope, found)
  if (is_held && resembles) return resembles as DocumentId
  throw new ApiError('invalid_transition', 'It is settled already whether this document replaces another.')
}

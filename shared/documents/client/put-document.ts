import { sql } from 'kysely'
import { columnsOf } from '../../database/columns.ts'
import type { Database } from '../../database/database.ts'
import { isDocument, type NamedScope } from '../../database/scope.ts'
import { ApiError } from '../../http/errors.ts'
import { editsOf, type Tags } from '../../http/etag.ts'
import { requireAgent } from '../../http/not-found.ts'
import type { DocumentId } from '../../ids.ts'
import { Unavailable } from '../../unavailable.ts'
import type { Origin } from '../../work/message.ts'
import type { Outbox } from '../../work/outbox.ts'
import { createdColumns, type DocumentRow } from '../contract/document.ts'
import type { PutInput } from '../contract/input.ts'
import { isEmptied, isFile } from '../processing/guards.ts'
import { createDocument } from './create-document.ts'
import { disagreements } from './disagreements.ts'
import { hashContent, preconditionFailed } from './documents.ts'
import { editDocument } from './edit-document.ts'
import { edit } from './edits.ts'

/**
 * Creates or changes the document with this external id so that it equals the input. Writes nothing if it already does.
 * @param match undefined creates and updates, tags update only @param mustBeNew creates only
 * @throws ApiError agent_not_found, precondition_failed, golden_questions_fail, validation_failed, rate_limited; Unavailable
 */
export async function putDocument(
  outbox: Outbox,
  scope: NamedScope,
  { title, content, metadata = {}, valid_from = null, valid_until = null, ignore_golden_questions }: PutInput,
  origin: Origin,
  { match, mustBeNew }: { match?: Tags | undefined; mustBeNew?: boolean } = {},
): Promise<{ document: DocumentRow; isNew: boolean }> {
  const wanted = { title, content, metadata, valid_from, valid_until }
  for (let i = 0; i < maxAttempts; i++) {
    const found = await find(outbox.db, scope, wanted)
    if (found && mustBeNew) preconditionFailed('A document with this external id exists.')
    if (!found && match) {
      await requireAgent(outbox.db, scope)
      preconditionFailed('The agent has no document with this external id.')
    }
    try {
      if (!found) {
        const created = await createDocument(outbox, scope, { ...wanted, external_id: scope.externalId }, origin)
        return { document: created.document, isNew: true }
      }
      if (found.is_same && isMatched(found, match)) return { document: { ...found, content }, isNew: false }
      const target = { ...scope, documentId: found.id as DocumentId }
      const request = { origin, match, ignores: ignore_golden_questions }
      const { document } = await editDocument(outbox, target, edit(wanted), request)
      return { document, isNew: false }
    } catch (error) {
      if (!(error instanceof ApiError && overtaken.has(error.code))) throw error
    }
  }
  throw new Unavailable('database', new Error(`The document came and went ${maxAttempts} times in a row`))
}

const maxAttempts = 20

/** These errors mean that another request has created or deleted the document, or moved its external id, since `find`. */
const overtaken = new Set<string>(['external_id_conflict', 'document_not_found'])

function isMatched({ edits }: { edits: number }, match: Tags | undefined): boolean {
  return match === undefined || match === '*' || editsOf(match).includes(`${edits}`) || preconditionFailed()
}

const d = columnsOf('documents', 'd')

type Wanted = Required<Pick<PutInput, 'title' | 'content' | 'metadata' | 'valid_from' | 'valid_until'>>

async function find(db: Database, scope: NamedScope, { title, content, metadata, valid_from, valid_until }: Wanted) {
  const { documents } = await db.batch({
    documents: db
      .selectFrom('documents as d')
      .select(['d.title', ...createdColumns, disagreements.as('disagreements')])
      .select(
        sql<boolean>`coalesce(${d.title} = ${title} and ${d.content_hash} = ${hashContent(content)} and not ${isFile} and not ${isEmptied}
          and ${d.metadata} = ${JSON.stringify(metadata)}::jsonb and ${d.valid_from} is not distinct from ${valid_from}::timestamptz
          and ${d.valid_until} is not distinct from ${valid_until}::timestamptz, false)`.as('is_same'),
      )
      .where(isDocument(scope)),
  })
  return documents[0]
}

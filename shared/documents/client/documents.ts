import { createHash } from 'node:crypto'
import { type Expression, sql } from 'kysely'
import { columnsOf } from '../../database/columns.ts'
import type { Database } from '../../database/database.ts'
import {
  type AgentScope,
  type DocumentScope,
  isDocument,
  isInTrash,
  isOfAgent,
  isStoredOfAgent,
  type NamedScope,
} from '../../database/scope.ts'
import type { Status } from '../../database/tables.ts'
import { ApiError } from '../../http/errors.ts'
import { editsOf, type Tags } from '../../http/etag.ts'
import { findDocument, requireAgent, requireDocument } from '../../http/not-found.ts'
import { pageBytes } from '../../http/payload.ts'
import { commit, outdated } from '../../knowledge/commit.ts'
import { createdColumns, type DocumentRow, documentColumns } from '../contract/document.ts'
import { before, discard } from '../processing/transitions.ts'
import { disagreements } from './disagreements.ts'

export function hashContent(content: string): Buffer {
  return createHash('sha256').update(content).digest()
}

const d = columnsOf('documents', 'd')

const none = sql<string | null>`null::text`

interface ListedDocuments {
  status?: Status | undefined
  external_id_prefix?: string | undefined
  source_id?: string | undefined
  metadata?: string | undefined
  /** Lists the documents in the trash, with the values that they had before. */
  trashed?: boolean | undefined
  exclude?: 'content' | undefined
  limit: number
  after?: [string, string] | undefined
}

/** Lists documents, newest first. Large contents shorten a page, unless they are excluded and so not read. @throws ApiError agent_not_found */
export async function listDocuments(
  db: Database,
  scope: AgentScope,
  { status, external_id_prefix, source_id, metadata, trashed, exclude, limit, after }: ListedDocuments,
): Promise<{ documents: DocumentRow[]; hasMore: boolean }> {
  const content = exclude ? none : sql<string | null>`${d.content}`
  const shown = (column: (typeof createdColumns)[number]) =>
    trashed && column in before ? before[column as keyof typeof before] : d[column]
  const isAfter = after ? sql`(d.created_at, d.id) < (${after[0]}::timestamptz, ${after[1]}::uuid)` : sql`true`
  const { documents } = await db.batch({
    documents: sql<DocumentRow & { available: string }>`
      with page as (
        select d.title, ${content} as content, ${sql.join(createdColumns.map((column) => sql`${shown(column)} as ${sql.ref(column)}`))},
          d.organization_id, d.active_revision, row_number() over newest as position, sum(coalesce(octet_length(${content}), 0)) over newest as bytes
        from documents d
        where ${trashed ? isInTrash(scope) : isOfAgent(scope)} and ${isAfter}
          and ${status ? sql`${shown('status')} = ${status}` : sql`true`}
          and ${external_id_prefix ? sql`starts_with(${shown('external_id')}, ${external_id_prefix})` : sql`true`}
          and ${source_id ? sql`${shown('source_id')} = ${source_id}` : sql`true`}
          and ${metadata ? hasMetadata(metadata) : sql`true`}
        window newest as (order by d.created_at desc, d.id desc)
        order by d.created_at desc, d.id desc limit ${limit + 1}
      )
      select ${sql.join(documentColumns.map((column) => sql.ref(column)))}, ${disagreements} as disagreements,
        (select count(*) from page) as available
      from page d where position = 1 or position <= ${limit} and bytes <= ${pageBytes}
      order by created_at desc, id desc`,
  })
  if (documents.length === 0) await requireAgent(db, scope)
  return { documents, hasMore: documents.length > 0 && documents.length < Number(documents[0]!.available) }
}

/** Leaves out excluded content, adds the file's text if included, and leaves out both if the caller has a `known` version. @throws ApiError agent_not_found, document_not_found */
export async function getDocument(
  db: Database,
  scope: DocumentScope | NamedScope,
  known: Tags = [],
  { exclude, include }: { exclude?: 'content' | undefined; include?: 'text' | undefined } = {},
): Promise<DocumentRow & { is_known: boolean; text: string | null }> {
  const isKnown = known === '*' ? sql<boolean>`true` : isOneOf(sql`${d.edits} || '.' || ${d.version}`, known)
  const found = db
    .selectFrom('documents as d')
    .select(['d.title', ...createdColumns, isKnown.as('is_known'), disagreements.as('disagreements')])
    .select((exclude ? none : sql<string | null>`case when not ${isKnown} then ${d.content} end`).as('content'))
    .select((include ? sql<string | null>`case when not ${isKnown} then ${d.extracted_text} end` : none).as('text'))
    .where(isDocument(scope))
  return await findDocument(db, scope, found)
}

export interface Removal {
  match?: Tags | undefined
  /** Deletes even if checks would fail. */
  ignores?: boolean | undefined
  toTrash?: boolean | undefined
}

/**
 * Deletes a document, or puts it into the trash unless it is there. A worker that processes it finds no row to write to.
 * @throws ApiError agent_not_found, document_not_found, precondition_failed, golden_questions_fail
 */
export async function deleteDocument(
  db: Database,
  scope: DocumentScope,
  { match = '*', ignores, toTrash }: Removal = {},
): Promise<void> {
  const isUnedited = match === '*' ? sql<boolean>`true` : isOneOf(sql`${d.edits}::text`, editsOf(match))
  const isIt = isDocument(scope, toTrash ? isOfAgent(scope) : isStoredOfAgent(scope))
  await commit(db, scope, () => ({
    effects: [{ document_id: scope.documentId, action: 'removes' }],
    ignores,
    async make(permit) {
      const mayGo = sql<boolean>`(${d.active_revision} is null or ${permit.isValid})`
      const guard = sql<boolean>`(${isIt} and ${isUnedited} and ${mayGo})`
      const found = db.selectFrom('documents as d').select(isUnedited.as('is_unedited')).where(isIt).forUpdate()
      const removed = toTrash
        ? db.updateTable('documents as d').set(discard).where(guard).returning('d.id')
        : db.deleteFrom('documents as d').where(guard).returning('d.id')
      const done = await db.batch({ found: permit.lock(found), removed })
      if (!(await requireDocument(db, scope, done.found)).is_unedited) preconditionFailed()
      return done.removed.length > 0 ? undefined : outdated
    },
  }))
}

/** @param filter a name of the first level, `=` and a value, which is compared as text */
function hasMetadata(filter: string) {
  const at = filter.indexOf('=')
  return sql<boolean>`d.metadata ->> ${filter.slice(0, at)} = ${filter.slice(at + 1)}`
}

function isOneOf(value: Expression<unknown>, values: string[]) {
  return sql<boolean>`(${value} = any(${values}::text[]))`
}

export function preconditionFailed(
  why = 'A client has edited the document since. Get it again and repeat with its new ETag.',
): never {
  throw new ApiError('precondition_failed', why)
}

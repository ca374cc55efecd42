import { sql } from 'kysely'
import { columnsOf } from '../../../../shared/database/columns.ts'
import type { Database } from '../../../../shared/database/database.ts'
import { type DocumentScope, isDocument } from '../../../../shared/database/scope.ts'
import { corrected } from '../../../../shared/documents/corrections.ts'
import { isFileMissing } from '../../../../shared/documents/transitions.ts'
import { findDocument } from '../../../../shared/http/not-found.ts'
import { lostCorrections } from './corrections.ts'

const d = columnsOf('documents', 'd')
const text = sql<string | null>`coalesce(${d.content}, ${d.extracted_text})`

const shownCharacters = 20_000

/** The corrections of a file's text that its present text has not got, each with its place in the list of all. */
export async function readLost(db: Database, scope: DocumentScope) {
  const query = db
    .selectFrom('documents as d')
    .select([
      'd.corrections',
      sql<string | null>`case when ${d.corrections} <> '[]' then ${d.extracted_text} end`.as('text'),
    ])
    .where(isDocument(scope))
  const { corrections, text } = await findDocument(db, scope, query)
  const lost = text === null ? [] : lostCorrections(corrected(text, corrections), corrections)
  return lost.map((correction) => ({ ...correction, index: corrections.indexOf(correction) }))
}

/** How a document's text begins; null while there is none. @throws ApiError agent_not_found, document_not_found */
export async function readBeginning(db: Database, scope: DocumentScope): Promise<string | null> {
  const beginning = sql<string | null>`left(${text}, ${shownCharacters})`.as('beginning')
  const found = db.selectFrom('documents as d').select(beginning).where(isDocument(scope))
  return (await findDocument(db, scope, found)).beginning
}

export type Editable = Awaited<ReturnType<typeof readEditable>>

/** @throws ApiError agent_not_found, document_not_found */
export async function readEditable(db: Database, scope: DocumentScope, maxBytes: number) {
  const isTooLong = sql<boolean>`coalesce(octet_length(${text}) > ${maxBytes}, false)`
  const found = db
    .selectFrom('documents as d')
    .select([
      'd.title',
      'd.edits',
      'd.source_url',
      'd.managed_by',
      'd.status',
      'd.error_code',
      'd.corrections',
      'd.valid_from',
      'd.valid_until',
    ])
    .select(
      sql<
        string | null
      >`(select s.url from sources s where (s.organization_id, s.id) = (d.organization_id, d.source_id))`.as('website'),
    )
    .select([isFileMissing.as('is_file_missing'), isTooLong.as('is_too_long')])
    .select(sql<string | null>`case when not ${isTooLong} then ${text} end`.as('content'))
    .where(isDocument(scope))
  const document = await findDocument(db, scope, found)
  return { ...document, content: document.content && corrected(document.content, document.corrections) }
}

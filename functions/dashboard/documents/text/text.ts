import { sql } from 'kysely'
import * as v from 'valibot'
import { answeringLine } from '../../../../shared/checks/broken.ts'
import { columnsOf } from '../../../../shared/database/columns.ts'
import type { Database } from '../../../../shared/database/database.ts'
import { type DocumentScope, isDocument } from '../../../../shared/database/scope.ts'
import { listChunks } from '../../../../shared/documents/client/chunks.ts'
import { corrected } from '../../../../shared/documents/text/corrections.ts'
import { findDocument } from '../../../../shared/http/not-found.ts'
import { overviews } from '../overview.ts'
import { lostCorrections } from './corrections.ts'

const d = columnsOf('documents', 'd')
const text = sql<string | null>`coalesce(${d.content}, ${d.extracted_text})`

/** More than anybody writes by hand. Even with every character escaped, it fits into a request and a response. */
export const maxWrittenBytes = 1024 * 1024

const shownCharacters = 20_000

/**
 * Reads the rest of a document's page. `beginning`: the start of its text if it has no passages, null without a text. `lost`: the
 * corrections that a file's current text lacks, each with its index among all. `pages`: each passage's page, by the passage's index.
 * @throws ApiError agent_not_found, document_not_found
 */
export async function readBeside(db: Database, scope: DocumentScope, hasPassages: boolean) {
  const query = db
    .selectFrom('documents as d')
    .select([
      'd.corrections',
      'd.chunk_pages as pages',
      sql<string | null>`case when ${d.corrections} <> '[]' then ${d.extracted_text} end`.as('text'),
      sql<string | null>`case when not ${hasPassages}::boolean then left(${text}, ${shownCharacters}) end`.as(
        'beginning',
      ),
    ])
    .where(isDocument(scope))
  const { corrections, pages, text: extracted, beginning } = await findDocument(db, scope, query)
  const lost = extracted === null ? [] : lostCorrections(corrected(extracted, corrections), corrections)
  return {
    beginning,
    pages,
    lost: lost.map((correction) => ({ ...correction, index: corrections.indexOf(correction) })),
  }
}

/** The offset in the text of a passage's line that answers the question best, or of the passage, by its number. Undefined without offsets. */
export async function startOf(db: Database, scope: DocumentScope, passage = '', question = '') {
  if (!/^\d{1,7}$/.test(passage)) return undefined
  const { chunks } = await listChunks(db, scope, { limit: 1, after: Number(passage) - 2 })
  const { success, output } = v.safeParse(v.object({ start: v.number() }), chunks[0]?.metadata)
  const content = chunks[0]?.content ?? ''
  const line = question && answeringLine(question, content)
  return success ? output.start + Math.max(0, content.indexOf(line || content)) : undefined
}

export type Editable = Awaited<ReturnType<typeof readEditable>>

/** Reads a document with its corrected text. @throws ApiError agent_not_found, document_not_found */
export async function readEditable(db: Database, scope: DocumentScope) {
  const found = overviews(db, isDocument(scope)).select(['d.corrections', text.as('content')])
  const document = await findDocument(db, scope, found)
  return { ...document, content: document.content && corrected(document.content, document.corrections) }
}

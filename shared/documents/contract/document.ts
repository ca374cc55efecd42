import type { Selectable } from 'kysely'
import * as v from 'valibot'
import type { Tables } from '../../database/tables.ts'
import { namedTypeOf } from '../../files/file-types.ts'
import { described } from '../../http/input/fields.ts'
import type { Disagreement } from '../client/disagreements.ts'
import { ownFaults } from './failures.ts'

export const statuses = ['pending', 'processing', 'completed', 'error'] as const
const time = v.pipe(v.string(), v.isoTimestamp())
const count = v.pipe(v.number(), v.integer(), v.minValue(0))

const statement = v.strictObject({ chunk_index: count, text: v.string() })

const sourceType = v.picklist(['manual', 'pdf', 'csv', 'txt', 'docx'])

export const documentSchema = v.pipe(
  v.strictObject({
    id: v.pipe(v.string(), v.uuid()),
    agent_id: v.pipe(v.string(), v.uuid()),
    title: v.string(),
    content: described(v.nullable(v.string()), 'Null for a document that waits for chunks, or is a file.'),
    source_type: described(
      sourceType,
      '`manual`, or the type of the file: `docx` also stands for DOC, ODT and RTF, `csv` for XLSX and ODS, `txt` for Markdown, HTML, PPTX, ODP, EPUB and e-mails. The name decides at first, the content once it has been read.',
    ),
    source_url: described(v.nullable(v.string()), 'Where the file is stored; null unless it is a file.'),
    status: v.picklist(statuses),
    chunk_count: described(count, 'The number of chunks that GET chunks lists.'),
    searchable_chunk_count: described(
      count,
      'The number of chunks that search finds while the document is valid: the served ones that have an embedding. After you take over or edit a document, this counts the old chunks until the new ones are served.',
    ),
    external_id: described(
      v.nullable(v.string()),
      'Your own id of the document, unique within its agent; null if it has none.',
    ),
    source_id: described(v.nullable(v.string()), 'The source whose page it is; null for a document of your own.'),
    metadata: described(v.looseObject({}), 'Your own metadata. `document_metadata` limits a search by it.'),
    valid_from: described(v.nullable(time), 'Search serves the document from this time on; null for no such limit.'),
    valid_until: described(v.nullable(time), 'Search serves the document before this time; null for no such limit.'),
    error_message: described(v.nullable(v.string()), 'The failure and its remedy; null unless the status is `error`.'),
    waiting: described(
      v.nullable(
        v.strictObject({
          reason: described(v.string(), 'The reason in words, the embedding provider’s own if it is the cause.'),
          attempts: described(count, 'The number of attempts so far.'),
          next_attempt_at: described(
            v.nullable(time),
            'The earliest time of the next attempt. Null for a file that waits for a person to say, in the dashboard, whether it replaces the document that it resembles.',
          ),
        }),
      ),
      'Why a document that is `pending` waits for another attempt; null for any other.',
    ),
    warnings: described(
      v.array(
        v.variant('code', [
          v.strictObject({
            code: v.literal('golden_question_failed'),
            golden_question_id: v.pipe(v.string(), v.uuid()),
            question: v.string(),
            as_of: v.optional(described(time, 'When it begins to fail, if the change takes effect later.')),
          }),
          v.strictObject({
            code: v.literal('file_type_contradicts_name'),
            named: described(sourceType, 'The type according to the file’s name.'),
            found: described(sourceType, 'The type of its content, which decided how it was read.'),
          }),
          v.strictObject({
            code: v.picklist(['hidden_text_left_out', 'formulas_without_values']),
            kind: described(
              v.string(),
              'The parts of the file that were left out, such as `hidden_slides`, `struck_passages` or `comments`.',
            ),
            count,
          }),
          v.strictObject({
            code: v.literal('documents_disagree'),
            with: described(v.pipe(v.string(), v.uuid()), 'The other document.'),
            here: described(statement, 'The sentence or the cell of a table in this document.'),
            there: described(statement, 'The one in the other document.'),
          }),
        ]),
      ),
      'Golden questions that fail because of a change to this document, until they pass; a file whose name contradicts its type; parts of the file that its reader does not see, or that have no value; and up to 20 other prices or times that other documents of the agent give to the same thing. The last come moments after a document completes, and do not change the `ETag`.',
    ),
    deleted_at: described(v.nullable(time), 'When it was put into the trash; null unless it is there.'),
    created_at: time,
    updated_at: time,
  }),
  v.title('Document'),
)
export type Document = v.InferOutput<typeof documentSchema>

export const documentExample: Document = {
  id: '01981f3e-7f10-7c54-b1f5-3d1a5e0f9c21',
  agent_id: '01981f3d-02ab-7b3e-9d0c-6f2f8a4b7e10',
  title: 'Opening hours',
  content: 'We are open Monday to Saturday, 9 to 18. On Sunday we are closed.',
  source_type: 'manual',
  source_url: null,
  status: 'completed',
  chunk_count: 1,
  searchable_chunk_count: 1,
  external_id: null,
  source_id: null,
  metadata: {},
  valid_from: null,
  valid_until: null,
  error_message: null,
  waiting: null,
  warnings: [],
  deleted_at: null,
  created_at: '2026-03-02T08:15:30.000Z',
  updated_at: '2026-03-02T08:15:32.417Z',
}

type Shown = Exclude<keyof Document, 'waiting'>
const shown = Object.keys(documentSchema.entries).filter((name) => name !== 'waiting') as Shown[]
const waitingColumns = ['waiting_reason', 'tries', 'next_attempt_at', 'resembles'] as const

/** The columns of a response, and `edits` and `version`, its ETag. */
export const documentColumns = [...shown, 'edits', 'version', 'file_notes', ...waitingColumns] as const

type Column = (typeof documentColumns)[number]
type CreatedColumn = Exclude<Column, 'title' | 'content'>
export const createdColumns = documentColumns.filter(
  (column): column is CreatedColumn => column !== 'title' && column !== 'content',
)

/** Times and version come as the database returns them, or as JSON. */
type Row<Column extends keyof Columns> = {
  [C in Column]: C extends 'created_at' | 'updated_at'
    ? Date | string
    : C extends 'valid_from' | 'valid_until' | 'next_attempt_at' | 'deleted_at'
      ? Date | string | null
      : C extends 'version'
        ? string | number
        : Columns[C]
}
type Columns = Selectable<Tables['documents']>
export type Created = Row<CreatedColumn>
export type DocumentRow = Row<Column> & { disagreements?: Disagreement[] }

export function toDocument(row: DocumentRow): Document {
  const document = Object.fromEntries(shown.map((column) => [column, row[column]])) as Pick<DocumentRow, Shown>
  return {
    ...document,
    valid_from: toTime(row.valid_from),
    valid_until: toTime(row.valid_until),
    waiting: toWaiting(row),
    warnings: [
      ...row.warnings,
      ...typeWarning(row),
      ...row.file_notes.filter((note) => 'kind' in note),
      ...(row.disagreements ?? []).map(toWarning),
    ],
    deleted_at: toTime(row.deleted_at),
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
  }
}

function typeWarning({ source_type: found, source_url }: DocumentRow): Document['warnings'] {
  const named = namedTypeOf(found, source_url)
  return named ? [{ code: 'file_type_contradicts_name', named, found }] : []
}

function toWarning({ with: other, here, there }: Disagreement): Document['warnings'][number] {
  return { code: 'documents_disagree', with: other, here, there }
}

function toTime(time: Date | string | null): string | null {
  return time === null ? null : new Date(time).toISOString()
}

/** A reason without a next attempt is left over from a wait that has ended. */
function toWaiting(row: DocumentRow): Document['waiting'] {
  const { status, waiting_reason, tries, next_attempt_at, resembles } = row
  const reason = resembles === row.id ? ownFaults.resembledGone : ownFaults.resembles
  if (status === 'pending' && resembles) return { reason, attempts: tries, next_attempt_at: null }
  if (status !== 'pending' || !waiting_reason || !next_attempt_at) return null
  return { reason: waiting_reason, attempts: tries, next_attempt_at: new Date(next_attempt_at).toISOString() }
}

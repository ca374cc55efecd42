import { sql } from 'kysely'
import * as v from 'valibot'

export const statuses = ['pending', 'processing', 'completed', 'error'] as const
const time = v.pipe(v.string(), v.isoTimestamp())

/** A document as the API answers it. */
export const documentSchema = v.pipe(
  v.strictObject({
    id: v.pipe(v.string(), v.uuid()),
    agent_id: v.pipe(v.string(), v.uuid()),
    title: v.string(),
    content: v.nullable(v.string()),
    source_type: v.picklist(['manual', 'pdf', 'csv', 'txt', 'docx']),
    source_url: v.nullable(v.string()),
    status: v.picklist(statuses),
    chunk_count: v.pipe(v.number(), v.integer(), v.minValue(0)),
    error_message: v.nullable(v.string()),
    created_at: time,
    updated_at: time,
  }),
  v.title('Document'),
)
export type Document = v.InferOutput<typeof documentSchema>

/** The columns that an answer is made of, beside `version`, the ETag. */
export interface DocumentRow extends Omit<Document, 'created_at' | 'updated_at'> {
  created_at: Date | string
  updated_at: Date | string
  version: string | number
}

/** Those columns, qualified by `d`. */
export const documentColumns = sql.raw(
  [
    'id',
    'agent_id',
    'title',
    'content',
    'source_type',
    'source_url',
    'status',
    'chunk_count',
    'error_message',
    'created_at',
    'updated_at',
    'version',
  ]
    .map((column) => `d.${column}`)
    .join(', '),
)

export function toDocument(row: DocumentRow): Document {
  return {
    id: row.id,
    agent_id: row.agent_id,
    title: row.title,
    content: row.content,
    source_type: row.source_type,
    source_url: row.source_url,
    status: row.status,
    chunk_count: row.chunk_count,
    error_message: row.error_message,
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
  }
}

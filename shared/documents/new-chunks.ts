import { type Expression, type SqlBool, sql } from 'kysely'
import { columnsOf } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { recordset } from '../database/recordset.ts'
import { type DocumentScope, isDocument } from '../database/scope.ts'
import { type VectorRow, vectorRows } from '../database/vector-rows.ts'

export interface NewChunk {
  id: string
  chunk_index: number
  content: string
  token_count: number
  metadata: object
  /** Of a vector of the same document, stored before; null for a chunk that search does not find. */
  vector_id: string | null
}

/** Where the condition on `documents as d` holds. */
export function insertVectors(db: Database, scope: DocumentScope, rows: VectorRow[], condition: Expression<SqlBool>) {
  return db
    .insertInto('vectors')
    .columns(['organization_id', 'document_id', 'id', 'exponent', 'embedding', 'sketch'])
    .expression((eb) =>
      eb
        .selectFrom('documents as d')
        .crossJoin(vectorRows('made', rows))
        .select(['d.organization_id', 'd.id as document_id'])
        .select(['made.id', 'made.exponent', 'made.embedding', 'made.sketch'])
        .where(isDocument(scope))
        .where(condition),
    )
}

const wanted = {
  id: 'uuid',
  chunk_index: 'int',
  content: 'text',
  token_count: 'int',
  metadata: 'jsonb',
  vector_id: 'uuid',
} as const

const v = columnsOf('vectors', 'v')

/** Of the document's newest revision, where the condition on `documents as d` holds; none that names a vector that is not there. */
export function insertChunks(db: Database, scope: DocumentScope, rows: NewChunk[], condition: Expression<SqlBool>) {
  const own = Object.keys(wanted) as (keyof typeof wanted)[]
  return db
    .insertInto('chunks')
    .columns(['organization_id', 'agent_id', 'document_id', 'revision', ...own, 'sketch'])
    .expression((eb) =>
      eb
        .selectFrom('documents as d')
        .crossJoin(recordset('wanted', wanted, rows))
        .leftJoin('vectors as v', (join) =>
          join
            .on('v.organization_id', '=', scope.organizationId)
            .on('v.document_id', '=', scope.documentId)
            .onRef('v.id', '=', 'wanted.vector_id'),
        )
        .select(['d.organization_id', 'd.agent_id', 'd.id as document_id', 'd.revision'])
        .select(own.map((column) => `wanted.${column}` as const))
        .select('v.sketch')
        .where(isDocument(scope))
        .where(condition)
        .where(({ ref }) => sql<boolean>`(${ref('wanted.vector_id')} is null or ${v.id} is not null)`),
    )
}

import { type Expression, type SqlBool, sql } from 'kysely'
import { columnsOf } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { recordset } from '../database/recordset.ts'
import { type DocumentScope, isDocument } from '../database/scope.ts'
import { type VectorRow, vectorRows } from '../database/vector-rows.ts'
import type { IndexedTerms } from '../terms/indexed-terms.ts'

export interface NewChunk {
  id: string
  chunk_index: number
  content: string
  token_count: number
  metadata: object
  /** A stored vector of the same document; null for a chunk that search does not find. */
  vector_id: string | null
}

export interface NewRows<Row> {
  scope: DocumentScope
  rows: Row[]
}

/** Inserts for documents of one organization, where the condition on `documents as d` holds. */
export function insertVectors(db: Database, documents: NewRows<VectorRow>[], condition: Expression<SqlBool>) {
  return db
    .insertInto('vectors')
    .columns(['organization_id', 'document_id', 'id', 'exponent', 'embedding', 'sketch'])
    .expression((eb) =>
      eb
        .selectFrom('documents as d')
        .innerJoin(vectorRows('made', withDocument(documents)), 'made.document_id', 'd.id')
        .select(['d.organization_id', 'd.id as document_id'])
        .select(['made.id', 'made.exponent', 'made.embedding', 'made.sketch'])
        .where(isAnyOf(documents))
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

/** Inserts into the newest revisions, where the condition on `documents as d` holds; no chunk whose vector is not there. */
export function insertChunks(db: Database, documents: NewRows<NewChunk>[], condition: Expression<SqlBool>) {
  const own = Object.keys(wanted) as (keyof typeof wanted)[]
  return db
    .insertInto('chunks')
    .columns(['organization_id', 'agent_id', 'document_id', 'revision', ...own, 'sketch'])
    .expression((eb) =>
      eb
        .selectFrom('documents as d')
        .innerJoin(
          recordset('wanted', { document_id: 'uuid', ...wanted }, withDocument(documents)),
          'wanted.document_id',
          'd.id',
        )
        .leftJoin('vectors as v', (join) =>
          join
            .on('v.organization_id', '=', documents[0]!.scope.organizationId)
            .onRef('v.document_id', '=', 'wanted.document_id')
            .onRef('v.id', '=', 'wanted.vector_id'),
        )
        .select(['d.organization_id', 'd.agent_id', 'd.id as document_id', 'd.revision'])
        .select(own.map((column) => `wanted.${column}` as const))
        .select('v.sketch')
        .where(isAnyOf(documents))
        .where(condition)
        .where(({ ref }) => sql<boolean>`(${ref('wanted.vector_id')} is null or ${v.id} is not null)`),
    )
}

export interface NewTerms extends IndexedTerms {
  chunk_index: number
}

/** Inserts the terms of the chunks that `insertChunks` inserts with the same documents and condition. */
export function insertTerms(db: Database, documents: NewRows<NewTerms>[], condition: Expression<SqlBool>) {
  const rows = withDocument(documents)
  const made = sql<{ document_id: string; chunk_index: number; length: number; terms: string }>`unnest(
    ${rows.map((row) => row.document_id)}::uuid[], ${rows.map((row) => row.chunk_index)}::int[],
    ${rows.map((row) => row.length)}::int[], string_to_array(${rows.map((row) => row.terms).join(';')}, ';')::sparsevec[])`
  const names = ['document_id', 'chunk_index', 'length', 'terms'] as const
  return db
    .insertInto('chunk_terms')
    .columns(['organization_id', 'agent_id', 'document_id', 'revision', 'chunk_index', 'length', 'terms'])
    .expression((eb) =>
      eb
        .selectFrom('documents as d')
        .innerJoin(
          made.as<'made'>(sql`made(${sql.join(names.map((name) => sql.ref(name)))})`),
          'made.document_id',
          'd.id',
        )
        .select(['d.organization_id', 'd.agent_id', 'd.id as document_id', 'd.revision'])
        .select(['made.chunk_index', 'made.length', 'made.terms'])
        .where(isAnyOf(documents))
        .where(condition),
    )
}

function withDocument<Row>(documents: NewRows<Row>[]) {
  return documents.flatMap(({ scope, rows }) => rows.map((row) => ({ document_id: scope.documentId, ...row })))
}

function isAnyOf(documents: NewRows<unknown>[]) {
  const scopes = documents.map(({ scope }) => isDocument(scope))
  return sql<boolean>`(${sql.join(scopes, sql` or `)})`
}

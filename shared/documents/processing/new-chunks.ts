import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import { recordset } from '../../database/recordset.ts'
import { type DocumentScope, isDocument } from '../../database/scope.ts'
import { type VectorRow, vectorRows } from '../../database/vector-rows.ts'

export interface NewChunk {
  id: string
  chunk_index: number
  content: string
  token_count: number
  metadata: object
  /** A stored vector of the same document; null for a chunk that search does not find. */
  vector_id: string | null
  /** `chunkTerms`; null without a vector. */
  terms: Buffer | null
}

export type NewRows<Row> = { scope: DocumentScope; rows: Row[] }

/** Inserts for documents of one organization, where the condition on `documents as d` holds. @param model that made the vectors */
export function insertVectors(
  documents: NewRows<VectorRow>[],
  condition: Expression<SqlBool>,
  model: string | RawBuilder<string | null>,
) {
  return sql`insert into vectors (organization_id, document_id, id, exponent, embedding, sketch, model)
    select d.organization_id, d.id, made.id, made.exponent, made.embedding, made.sketch, ${model}
    from documents d join ${vectorRows(withDocument(documents))} on made.document_id = d.id
    where ${isAnyOf(documents)} and ${condition} on conflict do nothing`
}

const wanted = {
  document_id: 'uuid',
  id: 'uuid',
  chunk_index: 'int',
  content: 'text',
  token_count: 'int',
  metadata: 'jsonb',
  vector_id: 'uuid',
  terms: 'bytea',
} as const

/**
 * Inserts into the newest revisions, where the condition on `documents as d` holds; a chunk whose vector is missing is left out. Each
 * vector is looked up by its id: a join would read all of the document's vectors for each chunk while the planner expects few.
 */
export function insertChunks(documents: NewRows<NewChunk>[], condition: Expression<SqlBool>) {
  return sql`insert into chunks (organization_id, agent_id, document_id, revision,
      id, chunk_index, content, token_count, metadata, vector_id, sketch, terms)
    select d.organization_id, d.agent_id, d.id, d.revision,
      w.id, w.chunk_index, w.content, w.token_count, w.metadata, w.vector_id, v.sketch, w.terms
    from documents d
      join ${recordset('w', wanted, withDocument(documents).map(toRow))} on w.document_id = d.id
      left join lateral (select v.id, v.sketch from vectors v
        where v.organization_id = ${documents[0]!.scope.organizationId} and v.document_id = w.document_id and v.id = w.vector_id
        offset 0) v on true
    where ${isAnyOf(documents)} and ${condition} and (w.vector_id is null or v.id is not null) on conflict do nothing`
}

const toRow = ({ terms, ...chunk }: NewChunk & { document_id: string }) => ({
  ...chunk,
  terms: terms && `\\x${terms.toString('hex')}`,
})

function withDocument<Row>(documents: NewRows<Row>[]) {
  return documents.flatMap(({ scope, rows }) => rows.map((row) => ({ document_id: scope.documentId, ...row })))
}

function isAnyOf(documents: NewRows<unknown>[]) {
  const scopes = documents.map(({ scope }) => isDocument(scope))
  return sql<boolean>`(${sql.join(scopes, sql` or `)})`
}

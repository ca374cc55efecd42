import { type Kysely, type Selectable, sql } from 'kysely'
import { columnsOf } from '../database/columns.ts'
import type { Parameters } from '../database/compiled-once.ts'
import type { AgentScope } from '../database/scope.ts'
import type { Tables } from '../database/tables.ts'
import { chunkMetadata } from '../documents/served-chunks.ts'
import type { DocumentId } from '../ids.ts'

export interface Filters {
  /** Of hits. */
  limit: number
  min_score?: number | undefined
  document_ids?: DocumentId[] | undefined
  /** What the metadata of a chunk must contain. */
  metadata?: Record<string, unknown> | undefined
}

/** Which chunks are searched, as values of the statement's parameters. */
export type Searched = ReturnType<typeof searchedBy>

/** @param examined a document whose chunks are all scored, however little they have of the question */
export function searchedBy(
  { organizationId, agentId }: AgentScope,
  { limit, document_ids, metadata }: Filters,
  examined?: DocumentId,
) {
  return {
    organizationId,
    agentId,
    limit,
    documentIds: document_ids,
    metadata: metadata && JSON.stringify(metadata),
    /** The document knows where its chunks begin and end. */
    isByOffset: metadata !== undefined && ('start' in metadata || 'end' in metadata),
    examined,
  }
}

/** An offset of 0 keeps a subquery as it is: row by row through a primary key, whatever the statistics say. */
export const fence = sql.lit(0)

export type WithUnserved = Tables & { unserved: Pick<Selectable<Tables['documents']>, 'id' | 'active_revision'> }

const c = columnsOf('chunks', 'c')
const d = columnsOf('documents', 'd')

/** Begins the statement with the common table expression `unserved`: documents with chunks that are not served, or not yet. */
export function withUnserved(db: Kysely<Tables>, { organizationId, agentId }: Parameters<Searched>) {
  return db.with(
    (cte) => cte('unserved').materialized(),
    (db) =>
      db
        .selectFrom('documents as d')
        .select(['d.id', 'd.active_revision'])
        .where('d.organization_id', '=', organizationId)
        .where('d.agent_id', '=', agentId)
        .where('d.active_revision', 'is distinct from', ({ ref }) => ref('d.revision')),
  )
}

type ChunkKey = 'organization_id' | 'agent_id' | 'document_id' | 'revision' | 'chunk_index'

/** @param row of chunks, or of their terms, which have no metadata of their own */
export function isSearched(searched: Parameters<Searched>, row: Pick<typeof c, ChunkKey> = c) {
  const { organizationId, agentId, documentIds, metadata } = searched
  const conditions = [
    sql`${row.organization_id} = ${organizationId} and ${row.agent_id} = ${agentId}`,
    // By far most agents have no such document, and none of their chunks is looked at.
    sql`(${row.document_id} <> all(array(select ${d.id} from unserved d))
      or ${row.revision} <= (select ${d.active_revision} from unserved d where ${d.id} = ${row.document_id}))`,
  ]
  if (documentIds) conditions.push(sql`${row.document_id} = any(${documentIds}::uuid[])`)
  if (metadata && row === c) conditions.push(hasMetadata(searched))
  else if (metadata)
    conditions.push(sql`exists (select from chunks c where ${c.organization_id} = ${organizationId}
      and ${c.document_id} = ${row.document_id} and ${c.revision} = ${row.revision} and ${c.chunk_index} = ${row.chunk_index}
      and ${hasMetadata(searched)} offset ${fence})`)
  return sql<boolean>`(${sql.join(conditions, sql` and `)})`
}

function hasMetadata({ organizationId, metadata, isByOffset }: Parameters<Searched>) {
  const ofDocument = sql`from documents d where ${d.organization_id} = ${organizationId} and ${d.id} = ${c.document_id}`
  return sql`${isByOffset ? sql`(select ${chunkMetadata} ${ofDocument})` : c.metadata} @> ${metadata}::jsonb`
}

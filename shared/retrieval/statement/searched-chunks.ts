import { sql } from 'kysely'
import type { Parameters } from '../../database/compiled-once.ts'
import type { AgentScope } from '../../database/scope.ts'
import { chunkMetadata } from '../../documents/served-chunks.ts'
import type { DocumentId } from '../../ids.ts'

export interface Filters {
  limit: number
  min_score?: number | undefined
  document_ids?: DocumentId[] | undefined
  metadata?: Record<string, unknown> | undefined
}

export type FilterParameters = ReturnType<typeof filterParameters>

/** @param examined a document whose chunks are all scored, however little they share with the question */
export function filterParameters(
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
    /** Offsets are stored with the document, not with the chunk. */
    filtersOffsets: metadata !== undefined && ('start' in metadata || 'end' in metadata),
    examined,
  }
}

/** The common table expression `unserved`: documents with chunks of a revision that search does not serve. */
export function unserved({ organizationId, agentId }: Parameters<FilterParameters>) {
  return sql`unserved as materialized (
  select id, active_revision from documents
  where organization_id = ${organizationId} and agent_id = ${agentId} and active_revision is distinct from revision)`
}

/** The condition that a row is searched. `offset 0` has a subquery look rows up by key, independent of statistics. */
export function isSearched(parameters: Parameters<FilterParameters>, alias: 'c' | 't') {
  const { organizationId, agentId, documentIds, metadata } = parameters
  const row = sql.raw(alias)
  const conditions = [
    sql`${row}.organization_id = ${organizationId} and ${row}.agent_id = ${agentId}
      and (${row}.document_id <> all(array(select id from unserved))
        or ${row}.revision <= (select active_revision from unserved where id = ${row}.document_id))`,
  ]
  if (documentIds) conditions.push(sql`${row}.document_id = any(${documentIds}::uuid[])`)
  if (metadata && alias === 'c') conditions.push(hasMetadata(parameters))
  else if (metadata)
    conditions.push(sql`exists (select from chunks c where c.organization_id = ${organizationId}
      and c.document_id = t.document_id and c.revision = t.revision and c.chunk_index = t.chunk_index
      and ${hasMetadata(parameters)} offset 0)`)
  return sql<boolean>`(${sql.join(conditions, sql` and `)})`
}

function hasMetadata({ organizationId, metadata, filtersOffsets }: Parameters<FilterParameters>) {
  const withOffsets = sql`(select ${chunkMetadata} from documents d
    where d.organization_id = ${organizationId} and d.id = c.document_id)`
  return sql`${filtersOffsets ? withOffsets : sql`c.metadata`} @> ${metadata}::jsonb`
}

import { sql } from 'kysely'
import { columnsOf } from '../../database/columns.ts'
import { type DocumentScope, isDocument } from '../../database/scope.ts'

const c = columnsOf('chunks', 'c')
const d = columnsOf('documents', 'd')

/** The scope of what a document `d` claims: claims of documents with other metadata don't contradict them. */
export const scopeOfClaims = sql`md5(d.metadata::text)::uuid`

/** A chunk keeps the number of the revision that brought it; later revisions keep the chunk while its text stays in place. */
export const isServed = sql<boolean>`(${c.revision} <= ${d.active_revision})`

/** True if search may serve the document `d` now. */
export const isValidNow = sql<boolean>`(coalesce(${d.valid_from} <= now(), true) and coalesce(now() < ${d.valid_until}, true))`

/** Adds the chunk's start and end in the content, which an edit of the text before it moves. */
export const chunkMetadata = sql<Record<string, unknown>>`(case
  when ${isServed} and ${d.chunk_offsets} is not null then ${c.metadata} || jsonb_build_object(
    'start', ${d.chunk_offsets}[2 * ${c.chunk_index} + 1], 'end', ${d.chunk_offsets}[2 * ${c.chunk_index} + 2])
  else ${c.metadata} end)`

/** Deletes vectors that no chunk of the document names, if the document is the agent's and meets `fence`. Must come last in a transaction. */
export function deleteUnusedVectors(scope: DocumentScope, fence = sql<boolean>`true`) {
  const { organizationId, agentId, documentId } = scope
  return sql`delete from vectors v where v.organization_id = ${organizationId} and v.document_id = ${documentId}
    and exists (select from documents d where ${isDocument(scope)} and ${fence})
    and not exists (select from chunks c where c.organization_id = ${organizationId} and c.agent_id = ${agentId}
      and c.document_id = ${documentId} and c.vector_id = v.id)
    and not exists (select from chunks c where c.organization_id = ${organizationId} and c.agent_id = ${agentId}
      and c.document_id = ${documentId} and c.other_vector_id = v.id)`
}

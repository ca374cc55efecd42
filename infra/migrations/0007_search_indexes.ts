import { buildIndex } from './steps.ts'

export const steps = [
  // All that a search needs to know of an agent's chunks, side by side.
  buildIndex(
    'chunks_of_agent',
    'on chunks (organization_id, agent_id, document_id, revision, chunk_index) include (vector_id, sketch)',
  ),
  // Chunks whose vector is still in their own row: search finds them as they are, and the backfill its work.
  buildIndex(
    'chunks_unconverted',
    `on chunks (organization_id, agent_id, document_id, revision, chunk_index)
      where embedding is not null and vector_id is null`,
  ),
  // Few at any time: those with a revision in progress, or one that failed.
  buildIndex(
    'documents_unserved',
    'on documents (organization_id, agent_id) where active_revision is distinct from revision',
  ),
]

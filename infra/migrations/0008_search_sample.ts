import { buildIndex } from './steps.ts'

export const steps = [
  // One chunk in 32: ids of vectors end in random bits. What is far from a query for the best of these is far for the best of all.
  buildIndex(
    'chunks_sample',
    `on chunks (organization_id, agent_id, document_id, revision) include (sketch)
      where get_byte(uuid_send(vector_id), 15) < 8`,
  ),
]

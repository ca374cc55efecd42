import { inTransaction } from './steps.ts'

const statements = [
  // A role for the Lambda of MCP: it searches, reads around what it has found, and asks whether anything is served.
  `do $$
  begin
    create role cuecard_mcp nologin;
  exception when duplicate_object or unique_violation then
    null;
  end $$`,
  `grant usage on schema public to cuecard_mcp`,
  `grant execute on function find_api_key(bytea) to cuecard_mcp`,

  `grant select (organization_id, id, knowledge_base_enabled) on agents to cuecard_mcp`,
  `grant select (organization_id, id, agent_id, title, title_terms, revision, active_revision, chunk_count, chunk_offsets)
    on documents to cuecard_mcp`,
  `grant select (organization_id, id, agent_id, document_id, revision, chunk_index, content, embedding, token_count, metadata, vector_id,
    sketch) on chunks to cuecard_mcp`,
  `grant select (organization_id, document_id, id, embedding) on vectors to cuecard_mcp`,
  `grant select (organization_id, agent_id, document_id, revision, chunk_index, length, terms) on chunk_terms to cuecard_mcp`,
  `grant select (organization_id, key, embedding, high, middle, low, cosine_per_unit),
    insert (organization_id, key, embedding, high, middle, low, cosine_per_unit)
    on query_vectors to cuecard_mcp`,

  // Beside the policies of the other roles: to change one of those would need all of their names.
  ...['agents', 'documents', 'chunks', 'vectors', 'chunk_terms', 'query_vectors'].map(
    (table) => `create policy own_for_mcp on ${table} to cuecard_mcp
      using (organization_id = (select nullif(current_setting('cuecard.organization_id', true), '')::uuid))`,
  ),
]

export const steps = [inTransaction(...statements)]

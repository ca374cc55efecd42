import { buildIndex, inTransaction } from './steps.ts'

const own = `(organization_id = (select nullif(current_setting('cuecard.organization_id', true), '')::uuid))`

/** One model serves an agent. The agent changes to another model when every chunk has a vector of both. */
export const steps = [
  inTransaction(`
    alter table agents
      add column model text, -- the model of the vectors that search compares; null before the first
      add column next_model text, -- set during a change to this model
      add column former_model text, -- its vectors are kept, or being deleted
      add column former_until timestamptz, -- its vectors are kept until then, to allow a return
      add column model_due_at timestamptz, -- when the change has work to do
      add column model_waiting text; -- the reason that the change waits
    grant select (model) on agents to cuecard_search, cuecard_mcp, cuecard_platforms, cuecard_questions;
    grant select (model, next_model, former_model) on agents to cuecard_chunks;
    grant select (model, next_model, former_model, model_waiting) on agents to cuecard_agents;
    grant select (knowledge_base_enabled, model, next_model, former_model, former_until, model_due_at),
      update (model, former_model, former_until, model_due_at, model_waiting) on agents to cuecard_embedding;
    grant select (organization_id, id, model_due_at), update (model_due_at) on agents to cuecard_sweeper;
    create policy every_organization on agents to cuecard_sweeper using (true);
    grant select (searchable_chunk_count) on documents to cuecard_agents;`),
  inTransaction(`
    alter table chunks add column other_vector_id uuid; -- the next model's vector, or else the former one's
    grant select (other_vector_id) on chunks to cuecard_crawler, cuecard_documents, cuecard_dashboard, cuecard_operator;
    grant select (content, token_count, metadata, other_vector_id), update (other_vector_id) on chunks to cuecard_embedding;
    grant update (other_vector_id) on chunks to cuecard_chunks;
    grant select (organization_id, agent_id, other_vector_id) on chunks to cuecard_agents;
    create policy own_progress on chunks for select to cuecard_agents using ${own};`),
  inTransaction(`
    alter table vectors add column model text; -- null if the vector was stored before agents had a model
    grant select (model) on vectors to cuecard_embedding;`),
  buildIndex(
    'chunks_with_other_vector',
    'on chunks (organization_id, agent_id, document_id) include (other_vector_id) where other_vector_id is not null',
  ),
  buildIndex('agents_with_model_due', 'on agents (model_due_at) where model_due_at is not null'),
]

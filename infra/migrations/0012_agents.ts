import { buildIndex, inTransaction } from './steps.ts'

const own = `using (organization_id = (select nullif(current_setting('cuecard.organization_id', true), '')::uuid))`

const statements = [
  // Roles belong to the cluster: another database of the same server may have made it.
  `do $$
  begin
    create role cuecard_agents nologin;
  exception when duplicate_object or unique_violation then
    null;
  end $$`,
  `grant usage on schema public to cuecard_agents`,
  `grant execute on function find_api_key(bytea) to cuecard_agents`,
  `grant select (organization_id, id, name, knowledge_base_enabled, created_at) on agents to cuecard_agents`,
  `grant select (organization_id, agent_id, status) on documents to cuecard_agents`,
  // Policies of their own: a change of the others', who share one, would take a lock on what they read.
  `create policy own_agents on agents to cuecard_agents ${own}`,
  `create policy own_documents on documents to cuecard_agents ${own}`,
]

export const steps = [
  inTransaction(...statements),
  // An agent's documents by status are counted from it alone. Its entries are alike but for four statuses, so it stays small: some
  // 10 bytes a document. Updates that were heap-only still are: the predicates of other indexes have the column too.
  buildIndex('documents_by_status', 'on documents (organization_id, agent_id, status)'),
]

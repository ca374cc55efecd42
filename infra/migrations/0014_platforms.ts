import { inTransaction } from './steps.ts'

const own = `organization_id = (select nullif(current_setting('cuecard.organization_id', true), '')::uuid)`

const statements = [
  `do $$
  begin
    create role cuecard_platforms nologin;
  exception when duplicate_object or unique_violation then
    null;
  end $$`,

  // What a platform signs its requests for an agent with. To check a signature takes the secret itself, so this is no hash.
  `create table signing_secrets (
    organization_id uuid not null,
    agent_id uuid not null,
    platform text not null check (platform in ('retell')),
    secret bytea not null,
    created_at timestamptz(3) not null default now(),
    primary key (organization_id, agent_id, platform),
    foreign key (organization_id, agent_id) references agents (organization_id, id) on delete cascade
  )`,
  `alter table signing_secrets enable row level security`,

  // It searches, and says whether there is anything to search.
  `grant usage on schema public to cuecard_platforms`,
  `grant execute on function find_api_key(bytea) to cuecard_platforms`,
  `grant select (organization_id, id, knowledge_base_enabled) on agents to cuecard_platforms`,
  `grant select (organization_id, agent_id, platform, secret) on signing_secrets to cuecard_platforms`,
  `grant select (organization_id, id, agent_id, title, title_terms, revision, active_revision, chunk_count, chunk_offsets)
    on documents to cuecard_platforms`,
  `grant select (organization_id, id, agent_id, document_id, revision, chunk_index, content, embedding, token_count, metadata,
    vector_id, sketch) on chunks to cuecard_platforms`,
  `grant select (organization_id, document_id, id, embedding) on vectors to cuecard_platforms`,
  `grant select (organization_id, agent_id, document_id, revision, chunk_index, length, terms)
    on chunk_terms to cuecard_platforms`,
  `grant select (organization_id, key, embedding, high, middle, low, cosine_per_unit),
    insert (organization_id, key, embedding, high, middle, low, cosine_per_unit)
    on query_vectors to cuecard_platforms`,
  // Policies of its own: to add a role to one that is there, all of its roles would have to be named again.
  ...['agents', 'signing_secrets', 'documents', 'chunks', 'vectors', 'chunk_terms', 'query_vectors'].map(
    (table) => `create policy own_of_platforms on ${table} to cuecard_platforms using (${own})`,
  ),
]

export const steps = [inTransaction(...statements)]

-- Row-level security is the second protection: every statement already names the organization. It doesn't cover foreign keys and
-- unique checks; their composite keys start with organization_id instead. The owner is exempt from policies.

do $$
declare
  t regclass;
begin
  for t in select oid from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' loop
    execute format('alter table %s enable row level security', t);
  end loop;
end $$;

-- The setting has the transaction's organization, or '' for none. A subquery evaluates it once a statement.

create policy own on organizations to cuecard_dashboard, cuecard_embedding, cuecard_organization
  using (id = (select nullif(current_setting('cuecard.organization_id', true), '')::uuid));
create policy own on api_keys to cuecard_dashboard, cuecard_documents
  using (organization_id = (select nullif(current_setting('cuecard.organization_id', true), '')::uuid));
create policy own on sessions to cuecard_dashboard
  using (organization_id = (select nullif(current_setting('cuecard.organization_id', true), '')::uuid));
create policy own on idempotency_keys to cuecard_chunks, cuecard_documents
  using (organization_id = (select nullif(current_setting('cuecard.organization_id', true), '')::uuid));
create policy own on request_meters to cuecard_dashboard, cuecard_embedding, cuecard_organization
  using (organization_id = (select nullif(current_setting('cuecard.organization_id', true), '')::uuid));
create policy own on embedded_tokens to cuecard_dashboard, cuecard_embedding, cuecard_organization
  using (organization_id = (select nullif(current_setting('cuecard.organization_id', true), '')::uuid));
create policy own on agents to cuecard_agents, cuecard_chunks, cuecard_crawler, cuecard_dashboard, cuecard_documents, cuecard_embedding, cuecard_mcp,
    cuecard_platforms, cuecard_questions, cuecard_search
  using (organization_id = (select nullif(current_setting('cuecard.organization_id', true), '')::uuid));
create policy own on signing_secrets to cuecard_platforms
  using (organization_id = (select nullif(current_setting('cuecard.organization_id', true), '')::uuid));
create policy own on sources to cuecard_agents, cuecard_crawler, cuecard_dashboard
  using (organization_id = (select nullif(current_setting('cuecard.organization_id', true), '')::uuid));
create policy own on source_pages to cuecard_agents, cuecard_crawler, cuecard_dashboard
  using (organization_id = (select nullif(current_setting('cuecard.organization_id', true), '')::uuid));
create policy own on documents to cuecard_agents, cuecard_chunks, cuecard_crawler, cuecard_dashboard, cuecard_documents, cuecard_embedding,
    cuecard_mcp, cuecard_organization, cuecard_platforms, cuecard_questions, cuecard_search
  using (organization_id = (select nullif(current_setting('cuecard.organization_id', true), '')::uuid));
create policy own_files on documents to cuecard_extraction
  using (organization_id = (select nullif(current_setting('cuecard.organization_id', true), '')::uuid) and source_url is not null)
  with check (organization_id = (select nullif(current_setting('cuecard.organization_id', true), '')::uuid)
    and source_url is not null and status <> 'completed');
create policy own on chunks to cuecard_chunks, cuecard_crawler, cuecard_dashboard, cuecard_documents, cuecard_embedding, cuecard_mcp,
    cuecard_platforms, cuecard_search
  using (organization_id = (select nullif(current_setting('cuecard.organization_id', true), '')::uuid));
create policy own on document_revisions to cuecard_dashboard, cuecard_documents
  using (organization_id = (select nullif(current_setting('cuecard.organization_id', true), '')::uuid));
create policy own on vectors to cuecard_chunks, cuecard_crawler, cuecard_dashboard, cuecard_documents, cuecard_embedding, cuecard_mcp,
    cuecard_platforms, cuecard_search
  using (organization_id = (select nullif(current_setting('cuecard.organization_id', true), '')::uuid));
create policy own on chunk_terms to cuecard_chunks, cuecard_dashboard, cuecard_embedding, cuecard_mcp, cuecard_platforms,
    cuecard_search
  using (organization_id = (select nullif(current_setting('cuecard.organization_id', true), '')::uuid));
create policy own on deleted_ordinals to cuecard_dashboard, cuecard_mcp, cuecard_platforms, cuecard_search
  using (organization_id = (select nullif(current_setting('cuecard.organization_id', true), '')::uuid));
create policy own on listed_agents to cuecard_dashboard, cuecard_mcp, cuecard_platforms, cuecard_search
  using (organization_id = (select nullif(current_setting('cuecard.organization_id', true), '')::uuid));
create policy own on term_lists to cuecard_dashboard, cuecard_mcp, cuecard_platforms, cuecard_search
  using (organization_id = (select nullif(current_setting('cuecard.organization_id', true), '')::uuid));
create policy own on query_vectors to cuecard_dashboard, cuecard_mcp, cuecard_platforms, cuecard_search
  using (organization_id = (select nullif(current_setting('cuecard.organization_id', true), '')::uuid));
create policy own on golden_questions to cuecard_agents, cuecard_chunks, cuecard_crawler, cuecard_dashboard, cuecard_documents, cuecard_embedding, cuecard_questions
  using (organization_id = (select nullif(current_setting('cuecard.organization_id', true), '')::uuid));
create policy own on question_log to cuecard_dashboard, cuecard_mcp, cuecard_platforms, cuecard_questions, cuecard_search
  using (organization_id = (select nullif(current_setting('cuecard.organization_id', true), '')::uuid));

create policy own on webhooks to cuecard_dashboard, cuecard_organization
  using (organization_id = (select nullif(current_setting('cuecard.organization_id', true), '')::uuid));
create policy own on webhook_deliveries to cuecard_dashboard, cuecard_organization
  using (organization_id = (select nullif(current_setting('cuecard.organization_id', true), '')::uuid));

-- Calls stay open to the call service: its roles are not ours to restrict.

create policy every_writer on calls using (true);
create policy own on calls as restrictive to cuecard_dashboard
  using (organization_id = (select nullif(current_setting('cuecard.organization_id', true), '')::uuid));

-- The sweeper and deliveries serve every organization. Failed sign-ins belong to none.

create policy every_organization on documents to cuecard_sweeper using (true);
create policy every_organization on sources to cuecard_sweeper using (true);
create policy every_organization on document_revisions to cuecard_sweeper using (true);
create policy every_organization on organizations to cuecard_sweeper using (true);
create policy every_organization on obsolete_files to cuecard_sweeper using (true);
create policy every_organization on idempotency_keys to cuecard_sweeper using (true);
create policy every_organization on query_vectors to cuecard_sweeper using (true);
create policy every_organization on question_log to cuecard_sweeper using (true);
create policy every_organization on sessions to cuecard_sweeper using (true);
create policy every_address on sign_in_attempts to cuecard_dashboard, cuecard_sweeper using (true);

create policy every_organization on webhooks to cuecard_delivery using (true);
create policy every_organization on webhook_deliveries to cuecard_delivery, cuecard_sweeper using (true);

-- Operators read every organization, and change rows only while an action of their login is open.

do $$
declare
  name text;
begin
  foreach name in array array['agents', 'api_keys', 'chunk_terms', 'chunks', 'document_revisions', 'documents', 'embedded_tokens',
    'erasures', 'golden_questions', 'idempotency_keys', 'obsolete_files', 'organizations', 'query_vectors', 'question_log',
    'request_meters', 'signing_secrets', 'source_pages', 'sources', 'term_lists', 'vectors', 'webhook_deliveries', 'webhooks'] loop
    execute format('create policy operator_reads on %I for select to cuecard_operator using (true)', name);
    execute format('create policy operator_changes on %I to cuecard_operator using ((select require_operator_action()))', name);
  end loop;
end $$;
create policy operator_updates on calls as restrictive for update to cuecard_operator using ((select require_operator_action()));
create policy operator_deletes on calls as restrictive for delete to cuecard_operator using ((select require_operator_action()));

-- The database sets login and time. An operator sets the outcome of own actions only, and only once.

create policy operator_reads on operator_actions for select to cuecard_operator using (true);
create policy operator_begins on operator_actions for insert to cuecard_operator
  with check (login = session_user and outcome is null);
create policy operator_ends on operator_actions for update to cuecard_operator
  using (login = session_user and outcome is null) with check (outcome is not null);

import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

// The roles that the Lambdas work under, what each may do, and row-level security as a second wall. The owner, which owns every
// table, is not subject to the policies.
const statements = [
  // Groups without a login, made by SQL: they own nothing and have no attribute. (Roles made in Neon's console or API bypass
  // row-level security.) Log-ins with passwords are made by the runbook as members of them. Roles belong to the cluster:
  // another database of the same server may have made them, at this very moment too.
  `do $$
  declare
    name text;
  begin
    foreach name in array array['cuecard_api', 'cuecard_embedding', 'cuecard_sweeper'] loop
      begin
        execute format('create role %I nologin', name);
      exception when duplicate_object or unique_violation then
        null;
      end;
    end loop;
  end $$`,
  `revoke create on schema public from public`,
  `grant usage on schema public to cuecard_api, cuecard_embedding, cuecard_sweeper`,

  // The agent's counters follow its documents under the owner's rights, so no Lambda needs to write agents.
  `alter function count_documents_of_agent() security definer set search_path = public, pg_temp`,

  // The organization that the transaction works for. After a transaction-local setting Neon's pooled session has '' here, not NULL.
  `create function current_organization_id() returns uuid
    language sql stable parallel safe
    return nullif(current_setting('cuecard.organization_id', true), '')::uuid`,

  // The API. Version and updated_at of a document are the trigger's; a client's chunks are stored and removed, never changed.
  `grant select (id, name, auto_delete_done_calls, created_at), update (auto_delete_done_calls) on organizations to cuecard_api`,
  `grant select (organization_id, id) on agents to cuecard_api`,
  `grant select (organization_id, id, key_hash, permissions, expires_at, revoked_at) on api_keys to cuecard_api`,
  `grant select, delete,
    insert (organization_id, api_key_id, key, request_hash, owner),
    update (request_hash, owner, response, created_at)
    on idempotency_keys to cuecard_api`,
  `grant select, delete,
    insert (organization_id, id, agent_id, title, content, content_hash, status, managed_by, enqueued_at),
    update (title, content, content_hash, status, managed_by, revision, active_revision, chunk_count, error_message, error_code,
      lease_token, lease_expires_at, attempt, retry_count, next_attempt_at, enqueued_at, pending_since)
    on documents to cuecard_api`,
  `grant select, delete,
    insert (organization_id, id, agent_id, document_id, revision, chunk_index, content, embedding, token_count, metadata)
    on chunks to cuecard_api`,

  // The embedding Lambda.
  `grant
    select (organization_id, id, agent_id, content, status, managed_by, revision, active_revision, lease_token, lease_expires_at,
      attempt, retry_count, next_attempt_at, pending_since),
    update (status, active_revision, chunk_count, error_message, error_code, lease_token, lease_expires_at, attempt, retry_count,
      next_attempt_at, enqueued_at)
    on documents to cuecard_embedding`,
  `grant
    select (organization_id, document_id, revision, chunk_index, embedding, content_hash),
    delete,
    insert (organization_id, id, agent_id, document_id, revision, chunk_index, content, embedding, token_count, metadata, content_hash),
    update (embedding)
    on chunks to cuecard_embedding`,

  // The sweeper sees every organization's documents, but of each only ids, state and times, and drops old idempotency keys.
  `grant
    select (organization_id, id, status, managed_by, lease_expires_at, attempt, retry_count, next_attempt_at, enqueued_at,
      pending_since),
    update (status, error_message, error_code, lease_token, lease_expires_at, next_attempt_at, enqueued_at)
    on documents to cuecard_sweeper`,
  `grant select (organization_id, api_key_id, key, created_at), delete on idempotency_keys to cuecard_sweeper`,

  // The first wall is the organization in every statement. Behind it, a statement that forgets it sees no row. Foreign keys
  // and unique checks are not covered: the composite keys that lead with organization_id are their wall. Calls stay out of it:
  // no Lambda has a grant there, and the call service that writes them is not ours to confine.
  ...['organizations', 'agents', 'api_keys', 'documents', 'chunks', 'idempotency_keys'].map(
    (table) => `alter table ${table} enable row level security`,
  ),
  `create policy own on organizations to cuecard_api using (id = current_organization_id())`,
  `create policy own on agents to cuecard_api using (organization_id = current_organization_id())`,
  `create policy own on idempotency_keys to cuecard_api using (organization_id = current_organization_id())`,
  `create policy own on documents to cuecard_api, cuecard_embedding using (organization_id = current_organization_id())`,
  `create policy own on chunks to cuecard_api, cuecard_embedding using (organization_id = current_organization_id())`,
  `create policy every_organization on documents to cuecard_sweeper using (true)`,
  `create policy every_organization on idempotency_keys to cuecard_sweeper using (true)`,
  // A key is looked up by its hash before its organization is known.
  `create policy looked_up on api_keys for select to cuecard_api using (true)`,
]

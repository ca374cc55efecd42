import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

// A role for each Lambda of the API, with what its statements need, in place of cuecard_api, which the four shared. That one
// stays as it is for one release: the code that uses it serves while this runs, and again after a rollback. No code of ours
// does any more.
const statements = [
  `do $$
  declare
    name text;
  begin
    foreach name in array array['cuecard_documents', 'cuecard_chunks', 'cuecard_search', 'cuecard_organization'] loop
      begin
        execute format('create role %I nologin', name);
      exception when duplicate_object or unique_violation then
        null;
      end;
    end loop;
  end $$`,
  `grant usage on schema public to cuecard_documents, cuecard_chunks, cuecard_search, cuecard_organization`,

  // What the endpoints have in common: the check of the key, the look for the agent, idempotency.
  `grant execute on function find_api_key(bytea)
    to cuecard_documents, cuecard_chunks, cuecard_search, cuecard_organization`,
  `grant select (organization_id, id) on agents to cuecard_documents, cuecard_chunks, cuecard_search`,
  `grant select, delete,
    insert (organization_id, api_key_id, key, request_hash, owner),
    update (request_hash, owner, response, created_at)
    on idempotency_keys to cuecard_documents, cuecard_chunks`,

  // Documents. Of the chunks it counts those that are embedded, and removes those that a PATCH supersedes; a deleted document's
  // go by the foreign key.
  `grant select, delete,
    insert (organization_id, id, agent_id, title, content, content_hash, status, managed_by, request_id, requested_by),
    update (title, content, content_hash, status, managed_by, revision, active_revision, chunk_count, error_message, error_code,
      lease_token, lease_expires_at, attempt, retry_count, next_attempt_at, resend_at, pending_since,
      request_id, requested_by)
    on documents to cuecard_documents`,
  `grant select (organization_id, document_id, revision, embedding), delete on chunks to cuecard_documents`,

  // Chunks. Of the document it changes what a take-over changes, and neither sees nor touches its text.
  `grant
    select (organization_id, id, agent_id, managed_by, revision, active_revision, chunk_count),
    update (status, managed_by, revision, active_revision, chunk_count, error_message, error_code, lease_token, lease_expires_at,
      attempt, retry_count, next_attempt_at)
    on documents to cuecard_chunks`,
  `grant select, delete,
    insert (organization_id, id, agent_id, document_id, revision, chunk_index, content, embedding, token_count, metadata)
    on chunks to cuecard_chunks`,

  // Search reads.
  `grant select (organization_id, id, agent_id, title, active_revision) on documents to cuecard_search`,
  `grant select (organization_id, id, document_id, revision, chunk_index, content, embedding, token_count, metadata)
    on chunks to cuecard_search`,

  // Organization.
  `grant select (id, name, auto_delete_done_calls, created_at), update (auto_delete_done_calls)
    on organizations to cuecard_organization`,

  `alter policy own on organizations to cuecard_api, cuecard_organization`,
  `alter policy own on agents to cuecard_api, cuecard_documents, cuecard_chunks, cuecard_search`,
  `alter policy own on idempotency_keys to cuecard_api, cuecard_documents, cuecard_chunks`,
  `alter policy own on documents to cuecard_api, cuecard_embedding, cuecard_documents, cuecard_chunks, cuecard_search`,
  `alter policy own on chunks to cuecard_api, cuecard_embedding, cuecard_documents, cuecard_chunks, cuecard_search`,

  // Reads the setting without a lock: one would be held by every done call until its commit, and a PATCH of the setting would
  // wait for all of them. It needs none, because PATCH reads nothing of calls. A call marked as done while a PATCH is on its
  // way reads either the old setting, and comes out as if it had been marked before, or the new one, and comes after it.
  // Either is an order in which both could have happened one by one, even when the call commits last. A call marked after the
  // answer to PATCH reads what that has committed.
  `create or replace function move_done_call_to_trash() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
  begin
    if (select auto_delete_done_calls from organizations where id = new.organization_id) then
      new.deleted_at := coalesce(new.deleted_at, now());
    end if;
    return new;
  end $$`,
]

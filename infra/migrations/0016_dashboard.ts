import { buildIndex, inTransaction } from './steps.ts'

const own = `organization_id = (select nullif(current_setting('cuecard.organization_id', true), '')::uuid)`

const sessions = [
  // Who has signed in, with which key: a session may do what its key may. Of its token the hash alone.
  `create table sessions (
    organization_id uuid not null,
    api_key_id uuid not null,
    token_hash bytea primary key check (octet_length(token_hash) = 32),
    expires_at timestamptz not null,
    created_at timestamptz not null default now(),
    foreign key (organization_id, api_key_id) references api_keys (organization_id, id) on delete cascade
  )`,
  `create index sessions_of_key on sessions (organization_id, api_key_id)`,
  `create index sessions_by_expiry on sessions (expires_at)`,
  `alter table sessions enable row level security`,

  // How often an address failed to sign in, in the window that began then.
  `create table sign_in_attempts (
    source cidr primary key,
    failures integer not null,
    since timestamptz not null default now()
  )`,
  `create index sign_in_attempts_by_age on sign_in_attempts (since)`,
  `alter table sign_in_attempts enable row level security`,

  // Both before the organization is known, with the owner's rights, as find_api_key is.
  `create function open_session(key_hash bytea, token_hash bytea, seconds integer) returns setof uuid
    language sql volatile security definer set search_path = public, pg_temp
    begin atomic
      insert into sessions (organization_id, api_key_id, token_hash, expires_at)
      select k.organization_id, k.id, $2, now() + make_interval(secs => $3) from find_api_key($1) k
      returning organization_id;
    end`,
  `create function find_session(token_hash bytea)
    returns table (organization_id uuid, organization_name text, cursor_key bytea, key_id uuid, key_name text, permissions text[],
      expires_at timestamptz)
    language sql stable security definer set search_path = public, pg_temp
    begin atomic
      select o.id, o.name, o.cursor_key, k.id, k.name, k.permissions, k.expires_at
      from sessions s
        join api_keys k on (k.organization_id, k.id) = (s.organization_id, s.api_key_id)
        join organizations o on o.id = s.organization_id
      where s.token_hash = $1 and s.expires_at > now()
        and k.revoked_at is null and (k.expires_at is null or k.expires_at > now());
    end`,
  `revoke execute on function open_session(bytea, bytea, integer), find_session(bytea) from public`,
]

const role = [
  `do $$
  begin
    create role cuecard_dashboard nologin;
  exception when duplicate_object or unique_violation then
    null;
  end $$`,
  `grant usage on schema public to cuecard_dashboard`,
]

const grants = [
  // Signing in and out.
  `grant execute on function open_session(bytea, bytea, integer), find_session(bytea) to cuecard_dashboard`,
  `grant select (source, failures, since), insert (source, failures), update (failures, since)
    on sign_in_attempts to cuecard_dashboard`,
  `grant select (organization_id, token_hash), delete on sessions to cuecard_dashboard`,

  // Agents.
  `grant select (organization_id, id, name, document_count, ready_document_count, knowledge_base_enabled, created_at)
    on agents to cuecard_dashboard`,

  // Documents and their chunks: as cuecard_documents, and to list chunks.
  `grant select, delete,
    insert (organization_id, id, agent_id, title, title_terms, content, content_hash, status, managed_by, request_id, requested_by),
    update (title, title_terms, content, content_hash, status, managed_by, revision, active_revision, chunk_count, chunk_offsets,
      error_message, error_code, lease_token, lease_expires_at, attempt, retry_count, next_attempt_at, waiting_reason, tries,
      resend_at, pending_since, request_id, requested_by)
    on documents to cuecard_dashboard`,
  `grant select (organization_id, id, agent_id, document_id, revision, chunk_index, content, embedding, token_count, metadata,
      vector_id, sketch, created_at), delete
    on chunks to cuecard_dashboard`,

  // Those that were files.
  `grant insert (source_type, source_url, file_bytes),
    update (source_type, source_url, file_bytes, extracted_text, planned_chunk_count)
    on documents to cuecard_dashboard`,

  // Search, as cuecard_search; and the vectors of superseded chunks go.
  `grant select (organization_id, document_id, id, embedding), delete on vectors to cuecard_dashboard`,
  `grant select (organization_id, agent_id, document_id, revision, chunk_index, length, terms) on chunk_terms to cuecard_dashboard`,
  `grant select (organization_id, key, embedding, high, middle, low, cosine_per_unit),
    insert (organization_id, key, embedding, high, middle, low, cosine_per_unit)
    on query_vectors to cuecard_dashboard`,

  // Calls.
  `grant select, update (deleted_at), delete on calls to cuecard_dashboard`,

  // Settings.
  `grant select (id, name, auto_delete_done_calls, created_at), update (auto_delete_done_calls)
    on organizations to cuecard_dashboard`,
  `grant select (organization_id, id, name, permissions, expires_at, revoked_at, created_at),
    insert (organization_id, id, name, key_hash, permissions, expires_at),
    update (revoked_at)
    on api_keys to cuecard_dashboard`,

  // The sweeper drops what has expired.
  `grant select (token_hash, expires_at), delete on sessions to cuecard_sweeper`,
  `grant select (source, since), delete on sign_in_attempts to cuecard_sweeper`,
]

const policies = [
  ...['sessions', 'agents', 'documents', 'chunks', 'vectors', 'chunk_terms', 'query_vectors', 'api_keys'].map(
    (table) => `create policy own_of_dashboard on ${table} to cuecard_dashboard using (${own})`,
  ),
  `create policy own_of_dashboard on organizations to cuecard_dashboard
    using (id = (select nullif(current_setting('cuecard.organization_id', true), '')::uuid))`,
  `create policy every_address on sign_in_attempts to cuecard_dashboard, cuecard_sweeper using (true)`,
  `create policy every_organization on sessions to cuecard_sweeper using (true)`,

  // The call service, which is not ours to confine, goes on as before. For the dashboard there is a wall here too.
  `alter table calls enable row level security`,
  `create policy every_writer on calls using (true)`,
  `create policy own_of_dashboard on calls as restrictive to cuecard_dashboard using (${own})`,
]

export const steps = [
  inTransaction(...sessions, ...role, ...grants, ...policies),
  // The trash, last deleted first.
  buildIndex('calls_in_trash', 'on calls (organization_id, deleted_at desc, id desc) where deleted_at is not null'),
]

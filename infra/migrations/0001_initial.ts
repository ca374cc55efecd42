import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

// Ids are uuid v7 made by the application. Times are kept to the millisecond, as the API shows them. Every tenant table's
// keys lead with organization_id.
const statements = [
  `create extension if not exists vector`,

  `create table organizations (
    id uuid primary key,
    name text not null,
    auto_delete_done_calls boolean not null default false,
    created_at timestamptz(3) not null default now()
  )`,

  `create table agents (
    organization_id uuid not null references organizations (id) on delete cascade,
    id uuid not null,
    name text not null,
    document_count integer not null default 0 constraint agents_document_limit check (document_count <= 10000),
    ready_document_count integer not null default 0,
    knowledge_base_enabled boolean not null generated always as (ready_document_count > 0) stored,
    created_at timestamptz(3) not null default now(),
    primary key (organization_id, id)
  )`,

  // Looked up by hash before the organization is known: the one index that does not lead with it.
  `create table api_keys (
    organization_id uuid not null references organizations (id) on delete cascade,
    id uuid not null,
    name text not null,
    key_hash bytea not null constraint api_keys_hash unique,
    permissions text[] not null check (permissions <@ array['kb:read', 'kb:write', 'organization:read', 'organization:write']),
    expires_at timestamptz(3),
    revoked_at timestamptz(3),
    created_at timestamptz(3) not null default now(),
    primary key (organization_id, id)
  )`,

  // The row is the outbox and the lease: status pending or processing by the service is work to do.
  `create table documents (
    organization_id uuid not null,
    id uuid not null,
    agent_id uuid not null,
    title text not null,
    content text,
    content_hash bytea,
    source_type text not null default 'manual' check (source_type in ('manual', 'pdf', 'csv', 'txt', 'docx')),
    source_url text,
    status text not null check (status in ('pending', 'processing', 'completed', 'error')),
    managed_by text not null check (managed_by in ('service', 'client')),
    revision integer not null default 1,
    active_revision integer check (active_revision <= revision),
    chunk_count integer not null default 0 constraint documents_chunk_limit check (chunk_count <= 10000),
    error_message text,
    error_code text,
    lease_token uuid,
    lease_expires_at timestamptz,
    attempt integer not null default 0,
    retry_count integer not null default 0,
    next_attempt_at timestamptz,
    enqueued_at timestamptz,
    pending_since timestamptz not null default now(),
    version bigint not null default 1,
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now(),
    primary key (organization_id, id),
    foreign key (organization_id, agent_id) references agents (organization_id, id) on delete cascade,
    check ((content is null) = (content_hash is null)),
    check ((status = 'error') = (error_message is not null)),
    check ((status = 'processing') = (lease_token is not null)),
    check ((lease_token is null) = (lease_expires_at is null)),
    check (managed_by = 'service' or status in ('pending', 'completed')),
    check (status <> 'completed' or active_revision = revision)
  )`,
  `create index documents_of_agent on documents (organization_id, agent_id, created_at desc, id desc)`,
  `create index documents_unfinished on documents (organization_id, pending_since)
    where managed_by = 'service' and status in ('pending', 'processing')`,

  `create table chunks (
    organization_id uuid not null,
    id uuid not null,
    agent_id uuid not null,
    document_id uuid not null,
    revision integer not null,
    chunk_index integer not null check (chunk_index >= 0),
    content text not null,
    embedding vector(1536),
    token_count integer not null,
    metadata jsonb not null default '{}',
    content_hash bytea,
    created_at timestamptz(3) not null default now(),
    primary key (organization_id, document_id, revision, chunk_index),
    foreign key (organization_id, document_id) references documents (organization_id, id) on delete cascade
  )`,

  `create table idempotency_keys (
    organization_id uuid not null,
    api_key_id uuid not null,
    key text not null,
    request_hash bytea not null,
    owner uuid not null,
    response jsonb,
    created_at timestamptz not null default now(),
    primary key (organization_id, api_key_id, key),
    foreign key (organization_id, api_key_id) references api_keys (organization_id, id) on delete cascade
  )`,
  `create index idempotency_keys_age on idempotency_keys (created_at)`,

  `create table calls (
    organization_id uuid not null,
    id uuid not null,
    agent_id uuid not null,
    done_at timestamptz(3),
    deleted_at timestamptz(3),
    created_at timestamptz(3) not null default now(),
    primary key (organization_id, id),
    foreign key (organization_id, agent_id) references agents (organization_id, id) on delete cascade
  )`,

  // A visible change, and only that, gives the document a new version: the ETag.
  `create function touch_document() returns trigger language plpgsql as $$
  begin
    new.version := old.version + 1;
    new.updated_at := clock_timestamp();
    return new;
  end $$`,
  `create trigger touch_document before update on documents for each row
    when ((old.title, old.content_hash, old.source_url, old.status, old.chunk_count, old.error_message)
      is distinct from (new.title, new.content_hash, new.source_url, new.status, new.chunk_count, new.error_message))
    execute function touch_document()`,

  // Counted in the transaction that causes it, so the limit is exact and the agent's tool is on iff search serves something.
  `create function count_documents_of_agent() returns trigger language plpgsql as $$
  declare
    was boolean := tg_op <> 'INSERT' and old.active_revision is not null;
    is_ready boolean := tg_op <> 'DELETE' and new.active_revision is not null;
    changed record;
  begin
    if tg_op = 'DELETE' then changed := old; else changed := new; end if;
    update agents set
      document_count = document_count + case tg_op when 'INSERT' then 1 when 'DELETE' then -1 else 0 end,
      ready_document_count = ready_document_count + is_ready::int - was::int
    where organization_id = changed.organization_id and id = changed.agent_id;
    return null;
  end $$`,
  `create trigger count_documents_of_agent after insert or delete on documents for each row
    execute function count_documents_of_agent()`,
  `create trigger count_ready_documents_of_agent after update on documents for each row
    when ((old.active_revision is null) <> (new.active_revision is null))
    execute function count_documents_of_agent()`,

  // With the owner's rights: who writes calls need not be allowed to see the setting, let alone to lock its row.
  `create function move_done_call_to_trash() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
  begin
    if (select auto_delete_done_calls from organizations where id = new.organization_id for share) then
      new.deleted_at := coalesce(new.deleted_at, now());
    end if;
    return new;
  end $$`,
  `create trigger move_inserted_done_call_to_trash before insert on calls for each row
    when (new.done_at is not null) execute function move_done_call_to_trash()`,
  `create trigger move_done_call_to_trash before update on calls for each row
    when (old.done_at is null and new.done_at is not null) execute function move_done_call_to_trash()`,
]

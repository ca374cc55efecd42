import { inTransaction } from './steps.ts'

interface Rights {
  readonly select: string
  readonly insert?: string
  readonly update?: string
  readonly delete?: true
}

/** What the statements of the command line need: everything that an export prints and an erasure deletes, and little to change. */
const rights: Readonly<Record<string, Rights>> = {
  organizations: {
    select: 'id, name, auto_delete_done_calls, log_questions, created_at',
    insert: 'id, name',
    delete: true,
  },
  agents: {
    select: 'organization_id, id, name, document_count, ready_document_count, knowledge_base_enabled, created_at',
    insert: 'organization_id, id, name',
    delete: true,
  },
  api_keys: {
    select: 'organization_id, id, name, permissions, expires_at, revoked_at, created_at',
    insert: 'organization_id, id, name, key_hash, permissions, expires_at',
    update: 'revoked_at',
    delete: true,
  },
  signing_secrets: {
    select: 'organization_id, agent_id, platform, created_at',
    insert: 'organization_id, agent_id, platform, secret',
    update: 'secret, created_at',
    delete: true,
  },
  // Its changes are those of a retry.
  documents: {
    select: `organization_id, id, agent_id, title, content, content_hash, source_type, source_url, file_bytes, extracted_text, status,
      managed_by, revision, active_revision, chunk_count, chunk_offsets, searchable_chunk_count, planned_chunk_count, error_message,
      error_code, lease_expires_at, attempt, retry_count, next_attempt_at, waiting_reason, tries, resend_at, request_id, pending_since,
      version, edits, created_at, updated_at`,
    update: `title, content_hash, extracted_text, status, managed_by, revision, chunk_count, planned_chunk_count, error_message,
      error_code, lease_token, lease_expires_at, attempt, retry_count, next_attempt_at, waiting_reason, tries, resend_at, request_id,
      requested_by, pending_since`,
    delete: true,
  },
  chunks: {
    select: `organization_id, id, agent_id, document_id, revision, chunk_index, content, embedding, token_count, metadata, vector_id,
      created_at`,
    delete: true,
  },
  vectors: { select: 'organization_id, document_id, id, exponent, embedding', delete: true },
  chunk_terms: { select: 'organization_id, agent_id, document_id, revision, chunk_index', delete: true },
  query_vectors: { select: 'organization_id, key', delete: true },
  question_log: {
    select: 'organization_id, agent_id, id, question, mode, is_degraded, hits, best_score, asked_at',
    delete: true,
  },
  idempotency_keys: { select: 'organization_id, api_key_id, key', delete: true },
  erasures: {
    select: 'id, kind, organization_id, agent_id, requested_at, completed_at, counts',
    insert: 'id, kind, organization_id, agent_id, requested_at',
    update: 'completed_at, counts',
  },
}

const role = 'cuecard_operator'

const statements = [
  `do $$
  begin
    create role ${role} nologin;
  exception when duplicate_object or unique_violation then
    null;
  end $$`,
  `grant usage on schema public to ${role}`,

  // What operators did. Ids alone stand for customers, so that a row need not go when a customer does: no foreign key.
  `create table operator_actions (
    id uuid primary key,
    login text not null default session_user,
    person text not null,
    command text not null,
    arguments text[] not null,
    organization_id uuid,
    started_at timestamptz(3) not null default now(),
    ended_at timestamptz(3),
    outcome text check (outcome in ('done', 'failed')),
    detail text,
    check ((outcome is null) = (ended_at is null))
  )`,
  `create index operator_actions_open on operator_actions (login) where outcome is null`,
  `alter table operator_actions enable row level security`,
  `grant select (id, login, person, command, arguments, organization_id, started_at, ended_at, outcome, detail),
    insert (id, person, command, arguments, organization_id),
    update (organization_id, ended_at, outcome, detail)
    on operator_actions to ${role}`,
  `create policy operator_reads on operator_actions for select to ${role} using (true)`,
  // Login and time are the database's word, an outcome is final, and it is of one's own actions.
  `create policy operator_begins on operator_actions for insert to ${role} with check (login = session_user and outcome is null)`,
  `create policy operator_ends on operator_actions for update to ${role}
    using (login = session_user and outcome is null) with check (outcome is not null)`,

  // What was erased, for a restore brings it back. No names, and no foreign keys: a row outlives what it names.
  `create table erasures (
    id uuid primary key,
    kind text not null check (kind in ('organization', 'agent')),
    organization_id uuid not null,
    agent_id uuid,
    requested_at timestamptz(3) not null default now(),
    completed_at timestamptz(3),
    counts jsonb not null default '{}',
    check ((kind = 'agent') = (agent_id is not null)),
    unique nulls not distinct (organization_id, agent_id)
  )`,
  `alter table erasures enable row level security`,

  // Row-level security lets an operator change something only while an action of that login is open. It fails where a policy would
  // silently hide the rows.
  `create function require_operator_action() returns boolean language plpgsql stable set search_path = public, pg_temp as $$
  begin
    if not exists (select from operator_actions where login = session_user and outcome is null and started_at > now() - interval '7 days') then
      raise insufficient_privilege using message = 'an operator changes nothing without an open row in operator_actions';
    end if;
    return true;
  end $$`,
  ...Object.entries(rights).flatMap(([table, may]) => [
    `grant select (${may.select}) on ${table} to ${role}`,
    `create policy operator_reads on ${table} for select to ${role} using (true)`,
    ...(may.insert
      ? [
          `grant insert (${may.insert}) on ${table} to ${role}`,
          `create policy operator_inserts on ${table} for insert to ${role} with check ((select require_operator_action()))`,
        ]
      : []),
    ...(may.update
      ? [
          `grant update (${may.update}) on ${table} to ${role}`,
          `create policy operator_updates on ${table} for update to ${role} using ((select require_operator_action()))`,
        ]
      : []),
    ...(may.delete
      ? [
          `grant delete on ${table} to ${role}`,
          `create policy operator_deletes on ${table} for delete to ${role} using ((select require_operator_action()))`,
        ]
      : []),
  ]),
  // Of calls everybody sees every row: the policy is one more wall, and not a door.
  `grant select (organization_id, id, agent_id, done_at, deleted_at, created_at), update (deleted_at), delete on calls to ${role}`,
  ...['update', 'delete'].map(
    (command) => `create policy operator_${command}s on calls as restrictive for ${command} to ${role}
      using ((select require_operator_action()))`,
  ),
]

export const steps = [inTransaction(...statements)]

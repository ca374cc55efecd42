-- The application makes ids: UUIDv7. Every tenant table's keys start with organization_id.

-- The type of a parameter that has the rest of its transaction work for an organization. Sequential scans are off for it: it reads a
-- small part of each table, which old statistics hide from the planner.
create domain entered_organization as uuid check (num_nulls(
  set_config('cuecard.organization_id', value::text, true), set_config('enable_seqscan', 'off', true)) = 0);

create table organizations (
  id uuid primary key,
  name text not null,
  auto_delete_done_calls boolean not null default false,
  log_questions boolean not null default false,
  viewers_read_questions boolean not null default false, -- in the dashboard
  keep_revisions boolean not null default true,
  requests_per_second integer not null default 50 check (requests_per_second > 0),
  request_burst integer not null default 200 check (request_burst > 0),
  tokens_per_day bigint not null default 50000000 check (tokens_per_day >= 0),
  documents_in_pipeline integer not null default 10000 check (documents_in_pipeline >= 0),
  stored_bytes bigint not null default 10000000000 check (stored_bytes >= 0),
  cursor_key bytea not null -- signs the cursors of the organization's lists: 244 random bits
    default decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex'),
  created_at timestamptz(3) not null default now()
);
create index organizations_without_revisions on organizations (id) where not keep_revisions;

create table api_keys (
  organization_id uuid not null references organizations (id) on delete cascade,
  id uuid not null constraint api_keys_id unique, -- unique across organizations: an operator revokes by id alone
  name text not null,
  key_hash bytea not null constraint api_keys_hash unique, -- the look-up by hash finds the organization
  permissions text[] not null check (permissions <@ array['kb:read', 'kb:write', 'organization:read', 'organization:write']),
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  created_by uuid, -- the key that created this one in the dashboard
  created_by_person uuid, -- who created it in the dashboard, signed in as themselves
  created_at timestamptz(3) not null default now(),
  primary key (organization_id, id),
  foreign key (organization_id, created_by) references api_keys (organization_id, id) on delete set null (created_by)
);

create table idempotency_keys (
  organization_id uuid not null,
  api_key_id uuid not null,
  key text not null,
  request_hash bytea not null,
  owner uuid not null,
  response jsonb,
  agent_id uuid generated always as ((response -> 0 ->> 'agent_id')::uuid) stored, -- of the documents that were created
  created_at timestamptz not null default now(),
  primary key (organization_id, api_key_id, key),
  foreign key (organization_id, api_key_id) references api_keys (organization_id, id) on delete cascade
);
create index idempotency_keys_age on idempotency_keys (created_at);

-- Unlogged, because it is written many times a second. A crash of the database empties it, which forgives one burst and the day's
-- question tokens.
create unlogged table request_meters (
  organization_id uuid primary key references organizations on delete cascade,
  full_at timestamptz not null default '-infinity', -- when the bucket of request_burst is full again
  day date not null default (now() at time zone 'utc')::date,
  requests bigint not null default 0,
  question_tokens bigint not null default 0,
  snapshot_minute timestamptz, -- in which snapshots had snapshot_bytes
  snapshot_bytes bigint not null default 0
) with (fillfactor = 50);

create table embedded_tokens (
  organization_id uuid not null references organizations on delete cascade,
  day date not null,
  tokens bigint not null,
  primary key (organization_id, day)
);

create table agents (
  organization_id uuid not null references organizations (id) on delete cascade,
  id uuid not null,
  name text not null,
  ready_document_count integer not null default 0,
  served_version bigint not null default 0, -- counts changes that an answer can show
  purged_version bigint not null default 0, -- what was removed up to then may be forgotten
  knowledge_version bigint not null default 0, -- while there are golden questions, counts these and changes to the questions
  knowledge_base_enabled boolean not null generated always as (ready_document_count > 0) stored,

  -- One model serves an agent. The agent changes to another when every chunk has a vector of both.
  model text, -- the model of the vectors that search compares; null before the first
  next_model text, -- set during a change to this model
  former_model text, -- its vectors are kept, or being deleted
  former_until timestamptz, -- its vectors are kept until then, to allow a return
  model_due_at timestamptz, -- when the change has work to do
  model_waiting text, -- the reason that the change waits

  -- “Today” in a question is a day of the agent's business.
  time_zone text, -- its IANA name; null, which means UTC, if nobody has chosen one
  holidays text, -- the ISO 3166 code of the country or region that has its public holidays
  missing_holidays jsonb not null default '[]', -- [{day, name}] in the next fortnight that no text names, in order
  holidays_due_at timestamptz not null default now(), -- the next check, if it has holidays

  created_at timestamptz(3) not null default now(),
  primary key (organization_id, id)
);
create index agents_with_model_due on agents (model_due_at) where model_due_at is not null;
create index agents_with_holidays on agents (holidays_due_at) where holidays is not null;

-- Platforms sign their requests with these secrets. Checking a signature needs the secret itself, so it is not hashed.
create table signing_secrets (
  organization_id uuid not null,
  agent_id uuid not null,
  platform text not null check (platform in ('retell')),
  secret bytea not null,
  created_at timestamptz(3) not null default now(),
  primary key (organization_id, agent_id, platform),
  foreign key (organization_id, agent_id) references agents (organization_id, id) on delete cascade
);

-- The call service, an external system, writes this table.
create table calls (
  organization_id uuid not null,
  id uuid not null,
  agent_id uuid not null,
  done_at timestamptz(3),
  deleted_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  primary key (organization_id, id),
  foreign key (organization_id, agent_id) references agents (organization_id, id) on delete cascade
);
create index calls_in_trash on calls (organization_id, deleted_at desc, id desc) where deleted_at is not null;

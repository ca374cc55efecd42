-- Ids are uuid v7, made by the application. Every tenant table's keys lead with organization_id.

create table organizations (
  id uuid primary key,
  name text not null,
  auto_delete_done_calls boolean not null default false,
  log_questions boolean not null default false,
  keep_revisions boolean not null default true,
  requests_per_second integer not null default 50 check (requests_per_second > 0),
  request_burst integer not null default 200 check (request_burst > 0),
  tokens_per_day bigint not null default 50000000 check (tokens_per_day >= 0),
  documents_in_pipeline integer not null default 10000 check (documents_in_pipeline >= 0),
  cursor_key bytea not null -- signs the cursors of the organization's lists: 244 random bits
    default decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex'),
  created_at timestamptz(3) not null default now()
);
create index organizations_without_revisions on organizations (id) where not keep_revisions;

create table api_keys (
  organization_id uuid not null references organizations (id) on delete cascade,
  id uuid not null constraint api_keys_id unique, -- whatever the organization: an operator revokes by it
  name text not null,
  key_hash bytea not null constraint api_keys_hash unique, -- looked up before the organization is known
  permissions text[] not null check (permissions <@ array['kb:read', 'kb:write', 'organization:read', 'organization:write']),
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  created_by uuid, -- the key that made this one in the dashboard
  created_at timestamptz(3) not null default now(),
  primary key (organization_id, id),
  foreign key (organization_id, created_by) references api_keys (organization_id, id) on delete set null (created_by)
);

-- A session of the dashboard may do what its key may.
create table sessions (
  organization_id uuid not null,
  api_key_id uuid not null,
  token_hash bytea primary key check (octet_length(token_hash) = 32),
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  foreign key (organization_id, api_key_id) references api_keys (organization_id, id) on delete cascade
);
create index sessions_of_key on sessions (organization_id, api_key_id);
create index sessions_by_expiry on sessions (expires_at);

create table sign_in_attempts (
  source cidr primary key,
  failures integer not null,
  since timestamptz not null default now() -- when the window began
);
create index sign_in_attempts_by_age on sign_in_attempts (since);

create table idempotency_keys (
  organization_id uuid not null,
  api_key_id uuid not null,
  key text not null,
  request_hash bytea not null,
  owner uuid not null,
  response jsonb,
  created_at timestamptz not null default now(),
  primary key (organization_id, api_key_id, key),
  foreign key (organization_id, api_key_id) references api_keys (organization_id, id) on delete cascade
);
create index idempotency_keys_age on idempotency_keys (created_at);

-- Written many times a second, so it is not logged: after a crash of the database it begins anew, which forgives one burst
-- and the tokens of the day's questions.
create unlogged table request_meters (
  organization_id uuid primary key references organizations on delete cascade,
  full_at timestamptz not null default '-infinity', -- when the bucket of request_burst is full again
  day date not null default (now() at time zone 'utc')::date,
  requests bigint not null default 0,
  question_tokens bigint not null default 0
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
  knowledge_version bigint not null default 0, -- grows with what search serves and with golden questions, while there are any
  knowledge_base_enabled boolean not null generated always as (ready_document_count > 0) stored,
  created_at timestamptz(3) not null default now(),
  primary key (organization_id, id)
);

-- The secrets with which platforms sign their requests. Checking a signature takes the secret itself, so this is no hash.
create table signing_secrets (
  organization_id uuid not null,
  agent_id uuid not null,
  platform text not null check (platform in ('retell')),
  secret bytea not null,
  created_at timestamptz(3) not null default now(),
  primary key (organization_id, agent_id, platform),
  foreign key (organization_id, agent_id) references agents (organization_id, id) on delete cascade
);

-- Websites whose pages become documents. The row is the schedule of its crawls, and the lease of the one under way.
create table sources (
  organization_id uuid not null,
  id uuid not null,
  agent_id uuid not null,
  url text not null,
  kind text not null check (kind in ('page', 'sitemap', 'site')),
  include text[] not null default '{}',
  exclude text[] not null default '{}',
  refresh_hours integer not null check (refresh_hours between 1 and 720),
  status text not null default 'pending' check (status in ('pending', 'ready', 'error')),
  error_message text,
  notice text, -- what the last crawl left out, and why, as a whole
  checked_at timestamptz(3), -- when a crawl last ended
  next_check_at timestamptz(3) not null default now(), -- when the next one begins, which is set as this one begins
  crawl integer not null default 0, -- how many there have been, the one under way included
  resume_at timestamptz, -- when the crawl under way goes on; null if none is
  lease_token uuid,
  lease_expires_at timestamptz,
  attempt integer not null default 0, -- leases in a row that ended without a page
  failures integer not null default 0, -- crawls in a row that ended in error
  resend_at timestamptz not null default now() + interval '120 seconds',
  request_id text,
  requested_by uuid,
  created_at timestamptz(3) not null default now(),
  primary key (organization_id, id),
  foreign key (organization_id, agent_id) references agents (organization_id, id) on delete cascade,
  check ((status = 'error') = (error_message is not null)),
  check ((lease_token is null) = (lease_expires_at is null)),
  check (lease_token is null or resume_at is not null)
);
create index sources_of_agent on sources (organization_id, agent_id, id desc);
create index sources_due on sources ((coalesce(resume_at, next_check_at)));

-- What is known of a page: what the last look found, and what the crawl under way has still to do.
create table source_pages (
  organization_id uuid not null,
  agent_id uuid not null,
  source_id uuid not null,
  address text not null check (char_length(address) <= 1000),
  crawl integer not null, -- the last that listed it
  task text check (task in ('fetch', 'create', 'update', 'delete')), -- null once it is done
  found text check (found in ('page', 'unchanged', 'gone', 'left_out', 'failed', 'excluded')), -- by the last look
  left_out text, -- why there is no document, or why it is not as the page is
  at text, -- the page's own address, if this one leads to it
  is_moved boolean, -- for good
  title text, -- with the text, until they are in the document
  content text,
  characters integer, -- of the text
  text_hash bytea,
  is_changed boolean, -- by more than noise
  found_hash bytea, -- of title and text
  applied_hash bytea, -- of those that the document was last given
  etag text,
  last_modified text,
  gone_since timestamptz,
  looked_at timestamptz(3),
  primary key (organization_id, source_id, address),
  foreign key (organization_id, source_id) references sources (organization_id, id) on delete cascade
);
create index source_pages_to_do on source_pages (organization_id, source_id, task) where task is not null;

-- The row is the outbox and the lease: a document that is pending or processing by the service is work to do.
create table documents (
  organization_id uuid not null,
  id uuid not null,
  agent_id uuid not null,
  title text not null,
  title_from_file boolean not null default false, -- no client has set it, so the extraction may replace it
  external_id text, -- the client's own, unique within its agent
  metadata jsonb not null default '{}',
  source_id uuid, -- whose page it is, under the external id
  title_terms sparsevec(100000000), -- found with every chunk, so a new title takes no write of the chunks
  content text,
  content_hash bytea,
  source_type text not null default 'manual' check (source_type in ('manual', 'pdf', 'csv', 'txt', 'docx')),
  source_url text, -- of a file, which awaits its text while there is no content_hash
  file_bytes integer,
  file_etag text, -- of the file whose text was extracted: other bytes under the same key are not read for it
  upload_until timestamptz, -- until when the file may arrive
  uploaded_at timestamptz, -- when the uploader reported that it has
  extracted_text text,
  file_notes jsonb not null default '[]', -- what of it is doubtful
  corrections jsonb not null default '[]', -- that people have made of it: passages before and after, which the next file's text gets, too
  pages_read integer, -- of the file's pages that have to be recognised, while it is read
  pages integer,
  may_replace boolean not null default false, -- uploaded in the dashboard: whether it replaces a document like it is asked first
  resembles uuid, -- that document: until a person answers, no worker embeds this one
  managed_by text not null check (managed_by in ('service', 'client')),

  status text not null check (status in ('pending', 'processing', 'completed', 'error')),
  revision integer not null default 1,
  active_revision integer check (active_revision <= revision), -- the one that search serves
  text_revision integer not null default 1, -- the first that has this text, or these chunks of the client's
  revised_at timestamptz(3) not null default now(), -- when that one was asked for,
  revised_by uuid, -- with which key,
  served_at timestamptz(3), -- and when search began to serve it
  chunk_count integer not null default 0 constraint documents_chunk_limit check (chunk_count <= 10000),
  listed_revision integer, -- the chunks of revisions up to it are in term_lists
  chunk_offsets integer[], -- begin and end of each served chunk; an edit moves all that follow it, and their rows stay
  searchable_chunk_count integer not null default 0,
  valid_from timestamptz(3), -- search serves it from then
  valid_until timestamptz(3) constraint documents_validity check (valid_from < valid_until), -- to before then
  planned_chunk_count integer,
  error_message text,
  error_code text,
  warnings jsonb not null default '[]',
  ignores_golden_questions boolean not null default false, -- of this revision

  lease_token uuid,
  lease_expires_at timestamptz,
  attempt integer not null default 0,
  retry_count integer not null default 0,
  tries integer not null default 0, -- how many workers have claimed the revision
  next_attempt_at timestamptz,
  waiting_reason text,
  resend_at timestamptz not null default now() + interval '120 seconds',
  pending_since timestamptz not null default now(),
  request_id text, -- of the request that caused the work, and its key: what the log names
  requested_by uuid,

  version bigint not null default 1, -- the ETag
  edits integer not null default 1, -- what If-Match compares
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),

  primary key (organization_id, id),
  foreign key (organization_id, agent_id) references agents (organization_id, id) on delete cascade,
  constraint documents_external_id unique (organization_id, agent_id, external_id),
  constraint documents_source foreign key (organization_id, source_id) references sources (organization_id, id),
  foreign key (organization_id, resembles) references documents (organization_id, id) on delete set null (resembles),
  constraint documents_content_hash check ((coalesce(content, extracted_text) is null) = (content_hash is null)),
  check ((status = 'error') = (error_message is not null)),
  check ((status = 'processing') = (lease_token is not null)),
  check ((lease_token is null) = (lease_expires_at is null)),
  check (managed_by = 'service' or status in ('pending', 'completed')),
  check (status <> 'completed' or active_revision = revision)
);
create index documents_of_agent on documents (organization_id, agent_id, created_at desc, id desc);
create index documents_of_source on documents (organization_id, source_id) where source_id is not null;
create index documents_by_status on documents (organization_id, agent_id, status);
create index documents_unserved on documents (organization_id, agent_id)
  where active_revision is distinct from revision or valid_from is not null or valid_until is not null;
create index documents_unlisted on documents (organization_id, agent_id) where active_revision is distinct from listed_revision;
create index documents_with_warnings on documents (organization_id, agent_id) where warnings <> '[]';
create index documents_resembling on documents (organization_id, resembles) where resembles is not null;
create index documents_unfinished on documents (organization_id, pending_since)
  where managed_by = 'service' and status in ('pending', 'processing');
create index documents_to_resend on documents (resend_at) where managed_by = 'service' and status = 'pending';

-- Files that no document names any more, for the sweeper to delete: now, and once more when none can arrive any more.
create table obsolete_files (
  source_url text primary key,
  delete_at timestamptz not null default now(),
  last_at timestamptz not null
);

create table chunks (
  organization_id uuid not null,
  id uuid not null,
  agent_id uuid not null,
  document_id uuid not null,
  revision integer not null,
  chunk_index integer not null check (chunk_index >= 0),
  content text not null,
  token_count integer not null,
  metadata jsonb not null default '{}',
  vector_id uuid,
  sketch bit(1536) storage plain,
  created_at timestamptz(3) not null default now(),
  primary key (organization_id, document_id, revision, chunk_index),
  foreign key (organization_id, document_id) references documents (organization_id, id) on delete cascade
) with (autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 5000); -- for index-only scans
-- All that a search needs to know of an agent's chunks, side by side.
create index chunks_of_agent on chunks (organization_id, agent_id, document_id, revision, chunk_index) include (vector_id, sketch);
-- One chunk in 32, because ids end in random bits: what is too far for the best of these is too far for the best of all.
create index chunks_sample on chunks (organization_id, agent_id, document_id, revision) include (chunk_index, sketch)
  where get_byte(uuid_send(vector_id), 15) < 8;
-- So that a generic plan prefers these to the primary key, even when the statistics are of a single agent.
alter table chunks alter agent_id set (n_distinct = 10000);

-- Apart from the chunks, so that a revision keeps what an edit did not change. Insert-only: the id says what was embedded.
create table vectors (
  organization_id uuid not null,
  document_id uuid not null,
  id uuid not null,
  exponent smallint not null, -- the power of two that restores the scale; cosine does not need it
  embedding halfvec(1536) storage plain not null, -- two rows a page, none compressed or out of line
  sketch bit(1536) storage plain not null,
  primary key (organization_id, document_id, id),
  foreign key (organization_id, document_id) references documents (organization_id, id) on delete cascade
);

-- Vectors of questions asked before. The key is a hash of the model and the words: no question is stored.
create table query_vectors (
  organization_id uuid not null references organizations (id) on delete cascade,
  key bytea not null check (octet_length(key) = 32),
  embedding halfvec(1536) storage plain not null,
  high bit(1536) storage plain not null, -- with the next two, what search compares with sketches
  middle bit(1536) storage plain not null,
  low bit(1536) storage plain not null,
  cosine_per_unit double precision not null,
  created_at timestamptz not null default now(),
  primary key (organization_id, key)
);
create index query_vectors_by_age on query_vectors (created_at, organization_id);
create index query_vectors_of_organization on query_vectors (organization_id, created_at) include (key);

-- What callers asked, of organizations that want to know: nothing about who asked, on which line, with which key, but for the call's id.
-- Hits are [{document_id, revision, chunk_index, score}], best first.
create table question_log (
  organization_id uuid not null,
  agent_id uuid not null,
  id uuid not null,
  question text not null check (char_length(question) <= 500),
  call_id text check (char_length(call_id) between 1 and 255),
  mode text not null check (mode in ('hybrid', 'semantic', 'keyword')),
  is_degraded boolean not null,
  hits jsonb not null,
  answerable real not null,
  milliseconds integer not null,
  asked_at timestamptz(3) not null default now(),
  primary key (organization_id, agent_id, id),
  foreign key (organization_id, agent_id) references agents (organization_id, id) on delete cascade
);
create index question_log_of_organization on question_log (organization_id, asked_at);
create index question_log_of_call on question_log (organization_id, agent_id, call_id, id) where call_id is not null;
create index question_log_by_age on question_log (asked_at);

-- Written by the call service, which is not ours.
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

-- Ids, and no foreign keys: a row of these two outlives what it names.
create table operator_actions (
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
);
create index operator_actions_open on operator_actions (login) where outcome is null;

create table erasures (
  id uuid primary key,
  kind text not null check (kind in ('organization', 'agent')),
  organization_id uuid not null,
  agent_id uuid,
  requested_at timestamptz(3) not null default now(),
  completed_at timestamptz(3),
  counts jsonb not null default '{}',
  check ((kind = 'agent') = (agent_id is not null)),
  unique nulls not distinct (organization_id, agent_id)
);

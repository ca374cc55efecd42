-- The row is both outbox and lease. The service has work to do while its document is pending or processing.
create table documents (
  organization_id uuid not null,
  id uuid not null,
  agent_id uuid not null,
  title text not null,
  title_from_file boolean not null default false, -- true if no client has set the title, so extraction may replace it
  external_id text, -- set by the client, unique within the agent
  metadata jsonb not null default '{}',
  source_id uuid, -- the source that this page belongs to, under the external id
  content text,
  content_hash bytea,
  source_type text not null default 'manual' check (source_type in ('manual', 'pdf', 'csv', 'txt', 'docx')),
  source_url text, -- the file's s3:// address; without a content_hash, the document awaits its text
  file_bytes integer,
  file_etag text, -- identifies the extracted bytes, so that other bytes under the same key are not read instead
  upload_until timestamptz, -- the file may arrive until then
  uploaded_at timestamptz, -- when the uploader reported the file's arrival
  extracted_text text,
  page_starts jsonb, -- pairs of an offset in the extracted text and a page's, sheet's or slide's number or name
  file_notes jsonb not null default '[]', -- passages of the text that may be wrong
  corrections jsonb not null default '[]', -- people's changes to passages, before and after; applied to the next file's text too
  pages_read integer, -- progress through a file with pages to recognise; null for other files
  pages integer,
  may_replace boolean not null default false, -- true for dashboard uploads: a person decides whether it replaces a similar document
  resembles uuid, -- the similar document, or this one once that is deleted; no worker embeds it until a person answers
  managed_by text not null check (managed_by in ('service', 'client')),

  status text not null check (status in ('pending', 'processing', 'completed', 'error')),
  revision integer not null default 1,
  active_revision integer check (active_revision <= revision), -- the revision that search serves
  text_revision integer not null default 1, -- the first revision with this text, or with these chunks of the client
  revised_at timestamptz(3) not null default now(), -- when text_revision was requested
  revised_by uuid, -- the key of that request
  served_at timestamptz(3), -- when search began to serve text_revision
  chunk_count integer not null default 0 constraint documents_chunk_limit check (chunk_count <= 10000),
  chunk_pages jsonb, -- the page on which each served chunk begins, by index
  chunk_offsets integer[], -- start and end of each served chunk; an edit moves later chunks without writing their rows
  searchable_chunk_count integer not null default 0,
  valid_from timestamptz(3), -- search serves the document from then
  valid_until timestamptz(3) constraint documents_validity check (valid_from < valid_until), -- until just before then
  planned_chunk_count integer,
  stored_bytes bigint not null generated always as -- of the file, the text, and on average of each chunk with its vector
    (coalesce(file_bytes, 0)::bigint + octet_length(coalesce(content, extracted_text, '')) + chunk_count * 7000) stored,
  error_message text,
  error_code text,
  warnings jsonb not null default '[]',
  ignores_golden_questions boolean not null default false, -- applies to this revision

  lease_token uuid,
  lease_expires_at timestamptz,
  attempt integer not null default 0,
  retry_count integer not null default 0,
  tries integer not null default 0, -- how many workers have claimed the revision
  next_attempt_at timestamptz,
  waiting_reason text,
  resend_at timestamptz not null default now() + interval '120 seconds',
  pending_since timestamptz not null default now(),
  request_id text, -- the request that caused the work, and its key, for the log
  requested_by uuid,

  deleted_at timestamptz(3), -- when it was moved to the trash, for 30 days
  before_deletion jsonb, -- status, active_revision, external_id and source_id, to restore

  version bigint not null default 1, -- the ETag
  edits integer not null default 1, -- what If-Match compares
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),

  primary key (organization_id, id),
  foreign key (organization_id, agent_id) references agents (organization_id, id) on delete cascade,
  constraint documents_external_id unique (organization_id, agent_id, external_id),
  constraint documents_source foreign key (organization_id, source_id) references sources (organization_id, id),
  foreign key (organization_id, resembles) references documents (organization_id, id) deferrable initially deferred,
  constraint documents_content_hash check ((coalesce(content, extracted_text) is null) = (content_hash is null)),
  check ((status = 'error') = (error_message is not null)),
  check ((status = 'processing') = (lease_token is not null)),
  check ((lease_token is null) = (lease_expires_at is null)),
  check (managed_by = 'service' or status in ('pending', 'completed')),
  check (status <> 'completed' or active_revision = revision)
);
create index documents_of_agent on documents (organization_id, agent_id, created_at desc, id desc);
create index documents_of_source on documents (organization_id, source_id) where source_id is not null;
create index documents_kept_by_status on documents (organization_id, agent_id, status) where deleted_at is null;
create index documents_in_trash on documents (organization_id, agent_id, deleted_at) where deleted_at is not null;
create index documents_in_trash_by_age on documents (deleted_at) where deleted_at is not null;
create index documents_with_warnings on documents (organization_id, agent_id) where warnings <> '[]';
create index documents_resembling on documents (organization_id, resembles) where resembles is not null;
create index documents_unfinished on documents (organization_id, pending_since)
  where managed_by = 'service' and status in ('pending', 'processing');
create index documents_by_organization on documents (organization_id) include (stored_bytes);
create index documents_to_resend on documents (resend_at) where managed_by = 'service' and status = 'pending';

-- Contents that search served and that their documents no longer have. A trigger writes them.
create table document_revisions (
  organization_id uuid not null,
  document_id uuid not null,
  revision integer not null, -- the last revision with the content
  text_revision integer not null check (text_revision <= revision), -- the first one; those between only processed it again
  agent_id uuid not null,
  title text not null,
  content text, -- null if the client uploaded chunks
  chunk_offsets integer[],
  created_at timestamptz(3) not null,
  created_by uuid,
  served_at timestamptz(3),
  replaced_at timestamptz not null default now(),
  primary key (organization_id, document_id, revision),
  foreign key (organization_id, document_id) references documents (organization_id, id) on delete cascade
);
create index document_revisions_by_age on document_revisions (replaced_at);

-- Prices and times that documents give to things, to find documents that contradict each other. Rows of revisions that search no longer
-- serves stay until the document has new ones, and are not read.
create table document_claims (
  organization_id uuid not null,
  document_id uuid not null,
  key uuid not null, -- the MD5 of the thing's names and of the kind and number of amounts
  agent_id uuid not null,
  revision integer not null,
  scope uuid not null, -- the MD5 of the document's metadata: claims of other scopes don't contradict
  amounts uuid not null, -- their MD5
  currency text not null,
  chunk_index integer not null,
  text text not null,
  primary key (organization_id, document_id, key),
  foreign key (organization_id, document_id) references documents (organization_id, id) on delete cascade
);
create index document_claims_by_key on document_claims (organization_id, agent_id, key, scope, amounts);

-- Files that no document names any more. The sweeper deletes each now, and again when no upload can arrive any more.
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
  other_vector_id uuid, -- the next model's vector, or else the former one's
  sketch bytea storage plain, -- of the vector
  terms bytea storage external, -- null for a chunk without a vector, which search does not find
  created_at timestamptz(3) not null default now(),
  primary key (organization_id, document_id, revision, chunk_index),
  foreign key (organization_id, document_id) references documents (organization_id, id) on delete cascade
);
create index chunks_of_agent on chunks (organization_id, agent_id, document_id, revision, chunk_index) include (vector_id);
create index chunks_with_other_vector on chunks (organization_id, agent_id, document_id) include (other_vector_id)
  where other_vector_id is not null;
-- Makes a generic plan prefer these indexes to the primary key, even if the statistics cover a single agent.
alter table chunks alter agent_id set (n_distinct = 10000);

-- Vectors are apart from chunks, so that a revision keeps those of unchanged text. Insert-only: the id depends on the embedded text.
create table vectors (
  organization_id uuid not null,
  document_id uuid not null,
  id uuid not null,
  model text, -- null if the vector was stored before its agent had a model
  exponent smallint not null, -- the power of two that restores the scale; cosine does not need it
  embedding halfvec(1536) storage plain not null, -- two rows a page, none compressed or out of line
  sketch bytea storage plain not null,
  primary key (organization_id, document_id, id),
  foreign key (organization_id, document_id) references documents (organization_id, id) on delete cascade
);

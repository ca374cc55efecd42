-- Websites; their pages become documents. A row has the schedule of its crawls and the lease of the current one.
create table sources (
  organization_id uuid not null,
  id uuid not null,
  agent_id uuid not null,
  url text not null,
  address text not null, -- the url's canonical form; an agent has one source for it
  kind text not null check (kind in ('page', 'sitemap', 'site')),
  include text[] not null default '{}',
  exclude text[] not null default '{}',
  refresh_hours integer not null check (refresh_hours between 1 and 720),
  status text not null default 'pending' check (status in ('pending', 'ready', 'error', 'deleting')),
  error_message text,
  notice text, -- what the last crawl left out and why, in one text
  checked_at timestamptz(3), -- the end of the last crawl
  next_check_at timestamptz(3) not null default now(), -- the start of the next crawl, set when one starts
  crawl integer not null default 0, -- the number of crawls so far, with the current one
  resume_at timestamptz, -- when the current crawl continues; null if there is none
  lease_token uuid,
  lease_expires_at timestamptz,
  attempt integer not null default 0, -- consecutive leases that ended without a page
  failures integer not null default 0, -- consecutive crawls that failed
  sitemap jsonb, -- the part that the current crawl has yet to read
  resend_at timestamptz not null default now() + interval '120 seconds',
  request_id text,
  requested_by uuid,
  deleted_at timestamptz(3), -- when it was moved to the trash, for 30 days
  created_at timestamptz(3) not null default now(),
  primary key (organization_id, id),
  constraint sources_address unique (organization_id, agent_id, address),
  foreign key (organization_id, agent_id) references agents (organization_id, id) on delete cascade,
  check ((status = 'error') = (error_message is not null)),
  check ((lease_token is null) = (lease_expires_at is null)),
  check (lease_token is null or resume_at is not null)
);
create index sources_of_agent on sources (organization_id, agent_id, id desc);
create index sources_due on sources ((coalesce(resume_at, next_check_at)));
create index sources_leased on sources (lease_expires_at) where lease_expires_at is not null;

-- A page: the result of the last visit, and the current crawl's task for it.
create table source_pages (
  organization_id uuid not null,
  agent_id uuid not null,
  source_id uuid not null,
  address text not null check (char_length(address) <= 1000),
  crawl integer not null, -- the last crawl that listed the page
  task text check (task in ('fetch', 'create', 'update', 'delete')), -- null once it is done
  found text check (found in ('page', 'unchanged', 'gone', 'left_out', 'failed', 'excluded')), -- the result of the last visit
  left_out text, -- why there is no document, or why it differs from the page
  at text, -- the page's canonical address, if this one leads there
  is_moved boolean, -- permanently
  title text, -- title and content stay until the document has them
  content text,
  characters integer, -- the text's length
  text_hash bytea,
  is_changed boolean, -- the change is more than noise
  found_hash bytea, -- a hash of title and text
  applied_hash bytea, -- the found_hash that the document last got
  etag text,
  last_modified text,
  gone_since timestamptz,
  looked_at timestamptz(3),
  primary key (organization_id, source_id, address),
  foreign key (organization_id, source_id) references sources (organization_id, id) on delete cascade
);
create index source_pages_to_do on source_pages (organization_id, source_id, task) where task is not null;

-- Websites whose pages become documents. The row is the schedule of its crawls, and the lease of the one under way.
create table sources (
  organization_id uuid not null,
  id uuid not null,
  agent_id uuid not null,
  url text not null,
  address text not null, -- the url's canonical form: one source an address
  kind text not null check (kind in ('page', 'sitemap', 'site')),
  include text[] not null default '{}',
  exclude text[] not null default '{}',
  refresh_hours integer not null check (refresh_hours between 1 and 720),
  status text not null default 'pending' check (status in ('pending', 'ready', 'error', 'deleting')),
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
  sitemap jsonb, -- what the crawl under way has still to read of it
  resend_at timestamptz not null default now() + interval '120 seconds',
  request_id text,
  requested_by uuid,
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

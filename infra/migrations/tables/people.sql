-- People, who sign in as themselves.
create table people (
  id uuid primary key,
  mail text not null unique check (mail = lower(mail)),
  created_at timestamptz(3) not null default now()
);

-- A removed member's row stays, so that histories name the person.
create table memberships (
  organization_id uuid not null references organizations (id) on delete cascade,
  person_id uuid not null references people (id),
  role text not null check (role in ('owner', 'editor', 'viewer')),
  removed_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  primary key (organization_id, person_id)
);
create index memberships_of_person on memberships (person_id);

create table invitations (
  organization_id uuid not null references organizations (id) on delete cascade,
  id uuid not null,
  mail text not null check (mail = lower(mail)),
  role text not null check (role in ('owner', 'editor', 'viewer')),
  token_hash bytea not null unique,
  invited_by uuid,
  expires_at timestamptz(3) not null,
  created_at timestamptz(3) not null default now(),
  primary key (organization_id, id),
  unique (organization_id, mail)
);

create table sign_in_links (
  token_hash bytea primary key,
  browser_hash bytea not null, -- the hash of a cookie in the browser that requested the link
  mail text not null,
  source cidr, -- the network that requested it; null for a known browser
  created_at timestamptz not null default now()
);
create index sign_in_links_of_mail on sign_in_links (mail, created_at);
create index sign_in_links_by_age on sign_in_links (created_at);

-- The browsers in which a person has used a link. Nobody else can use up their links.
create table known_browsers (
  person_id uuid not null references people (id) on delete cascade,
  browser_hash bytea not null,
  used_at timestamptz not null default now(),
  primary key (person_id, browser_hash)
);
create index known_browsers_by_age on known_browsers (used_at);

-- A session of the dashboard, of a key or of a person.
create table sessions (
  organization_id uuid not null,
  api_key_id uuid,
  person_id uuid,
  token_hash bytea primary key check (octet_length(token_hash) = 32),
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  foreign key (organization_id, api_key_id) references api_keys (organization_id, id) on delete cascade,
  foreign key (organization_id, person_id) references memberships (organization_id, person_id) on delete cascade,
  check (num_nonnulls(api_key_id, person_id) = 1)
);
create index sessions_of_key on sessions (organization_id, api_key_id);
create index sessions_of_person on sessions (organization_id, person_id);
create index sessions_by_expiry on sessions (expires_at);

create table sign_in_attempts (
  source cidr primary key,
  failures integer not null,
  since timestamptz not null default now() -- the start of the window
);
create index sign_in_attempts_by_age on sign_in_attempts (since);

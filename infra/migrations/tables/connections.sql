-- Apps that registered themselves. Other apps' ids are the addresses of documents.
create table oauth_clients (
  id uuid primary key,
  name text not null,
  redirect_uris text[] not null,
  source cidr, -- the network that registered it, until its first use
  -- An app is used within minutes, which extends the hour: people consent, and it exchanges its code.
  expires_at timestamptz not null default now() + interval '1 hour',
  created_at timestamptz not null default now()
);
create index oauth_clients_by_source on oauth_clients (source, created_at);
create index oauth_clients_by_expiry on oauth_clients (expires_at);

-- Apps that a person allows to search one agent over MCP, by OAuth 2.1.
create table connections (
  organization_id uuid not null,
  id uuid not null,
  person_id uuid not null,
  agent_id uuid not null,
  client_id text not null,
  client_name text not null,
  resource text not null, -- the only address where its tokens are accepted
  scope text not null,
  used_at timestamptz, -- the last issue of tokens; null while there is only a code
  expires_at timestamptz not null, -- the expiry of its last token
  created_at timestamptz(3) not null default now(),
  primary key (organization_id, id),
  foreign key (organization_id, person_id) references memberships (organization_id, person_id) on delete cascade,
  foreign key (organization_id, agent_id) references agents (organization_id, id) on delete cascade
);
create index connections_of_person on connections (organization_id, person_id);
create index connections_of_agent on connections (organization_id, agent_id);
create index connections_by_expiry on connections (expires_at);

-- Used codes and tokens stay until they expire, so that a second use is detected.
create table connection_tokens (
  token_hash bytea primary key check (octet_length(token_hash) = 32),
  organization_id uuid not null,
  connection_id uuid not null,
  kind text not null check (kind in ('code', 'access', 'refresh')),
  challenge text, -- a code's challenge: the SHA-256 of the verifier in base64url
  redirect_uri text, -- the address that a code was sent to
  expires_at timestamptz not null,
  used_at timestamptz,
  check ((kind = 'code') = (challenge is not null and redirect_uri is not null)),
  foreign key (organization_id, connection_id) references connections (organization_id, id) on delete cascade
);
create index connection_tokens_of_connection on connection_tokens (organization_id, connection_id);
create index connection_tokens_by_expiry on connection_tokens (expires_at);

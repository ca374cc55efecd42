import { inTransaction } from './steps.ts'

const own = `organization_id = (select nullif(current_setting('cuecard.organization_id', true), '')::uuid)`

/** Apps that a person allows to search one agent over MCP, by OAuth 2.1. */
export const steps = [
  inTransaction(
    `do $$ begin
      create role cuecard_connect nologin;
    exception when duplicate_object or unique_violation then
      null;
    end $$;
    grant usage on schema public to cuecard_connect`,
    // `oauth_clients` has apps that registered themselves. Other apps' ids are the addresses of documents.
    `create table oauth_clients (
      id uuid primary key,
      name text not null,
      redirect_uris text[] not null,
      source cidr, -- the network that registered it, until its first use
      expires_at timestamptz not null default now() + interval '1 day',
      created_at timestamptz not null default now()
    );
    create index oauth_clients_by_source on oauth_clients (source, created_at);
    create index oauth_clients_by_expiry on oauth_clients (expires_at);
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
    alter table oauth_clients enable row level security;
    alter table connections enable row level security;
    alter table connection_tokens enable row level security;
    grant select (id, name, redirect_uris, expires_at) on oauth_clients to cuecard_dashboard;
    grant select, insert (organization_id, id, person_id, agent_id, client_id, client_name, resource, scope, expires_at), delete
      on connections to cuecard_dashboard;
    grant insert (token_hash, organization_id, connection_id, kind, challenge, redirect_uri, expires_at)
      on connection_tokens to cuecard_dashboard;
    grant select (id, expires_at), delete on oauth_clients to cuecard_sweeper;
    grant select (organization_id, id, expires_at), delete on connections to cuecard_sweeper;
    grant select (token_hash, expires_at), delete on connection_tokens to cuecard_sweeper;
    create policy every_client on oauth_clients to cuecard_dashboard, cuecard_sweeper using (true);
    grant select (organization_id, id, person_id, agent_id, client_id, client_name, used_at, created_at) on connections
      to cuecard_operator;
    create policy operator_reads on connections for select to cuecard_operator using (true);
    create policy own on connections to cuecard_dashboard using (${own});
    create policy own on connection_tokens to cuecard_dashboard using (${own});
    create policy every_organization on connections to cuecard_sweeper using (true);
    create policy every_organization on connection_tokens to cuecard_sweeper using (true);`,
    // Registers at most ten apps a minute for an IPv4 address or an IPv6 /64 network, one after the other. @returns true if it did
    `create function register_client(id uuid, name text, redirect_uris text[], address inet) returns boolean
      language plpgsql volatile security definer set search_path = public, pg_temp as $$
    declare
      network constant cidr := network(set_masklen(address, case family(address) when 6 then 64 else 32 end));
    begin
      perform pg_advisory_xact_lock(hashtextextended(network::text, 16));
      if (select count(*) >= 10 from oauth_clients c where c.source = network and c.created_at > now() - interval '1 minute') then
        return false;
      end if;
      insert into oauth_clients values ($1, $2, $3, network);
      return true;
    end $$;`,
    // Exchanges a code or a refresh token for an access token (an hour) and a refresh token (30 days). A second use ends the connection,
    // because somebody else may have the token. A refresh token that is sent again within 30 seconds is a retry.
    // @returns the scope and the resource, or the error's code of RFC 6749
    `create function exchange_token(token_hash bytea, kind text, client_id text, resource text, challenge text, redirect_uri text,
        access_hash bytea, refresh_hash bytea)
      returns table (error text, scope text, audience text)
      language plpgsql volatile security definer set search_path = public, pg_temp as $$
    #variable_conflict use_column
    declare
      own connections;
      sent connection_tokens;
    begin
      if $3 !~ '^https?://' and not exists (select from oauth_clients c where c.id::text = $3 and c.expires_at > now()) then
        return query select 'invalid_client', null, null;
        return;
      end if;
      -- Locks the connection's row first, as the end of a connection does.
      select c.* into own from connection_tokens t
        join connections c on (c.organization_id, c.id) = (t.organization_id, t.connection_id)
        join memberships m on (m.organization_id, m.person_id) = (c.organization_id, c.person_id) and m.removed_at is null
        where t.token_hash = $1 and t.kind = $2 and t.expires_at > now() and c.client_id = $3
        for update of c;
      if found then select t.* into sent from connection_tokens t where t.token_hash = $1; end if;
      if $2 = 'code' and sent.used_at is not null or sent.used_at < now() - interval '30 seconds' then
        delete from connections c where (c.organization_id, c.id) = (own.organization_id, own.id);
        sent := null;
      end if;
      if sent.token_hash is null or sent.challenge is distinct from $5 or sent.redirect_uri <> $6 then
        return query select 'invalid_grant', null, null;
      elsif $4 <> own.resource then
        return query select 'invalid_target', null, null;
      else
        update connection_tokens t set used_at = coalesce(t.used_at, now()) where t.token_hash = $1;
        insert into connection_tokens (organization_id, connection_id, token_hash, kind, expires_at) values
          (own.organization_id, own.id, $7, 'access', now() + interval '1 hour'),
          (own.organization_id, own.id, $8, 'refresh', now() + interval '30 days');
        update connections c set used_at = now(), expires_at = now() + interval '30 days'
          where (c.organization_id, c.id) = (own.organization_id, own.id);
        update oauth_clients c set expires_at = now() + interval '90 days', source = null where c.id::text = $3;
        return query select null, own.scope, own.resource;
      end if;
    end $$;`,
    `create function end_connection(token_hash bytea, client_id text) returns void
      language sql volatile security definer set search_path = public, pg_temp
    begin atomic
      delete from connections c using connection_tokens t
      where t.token_hash = $1 and (c.organization_id, c.id) = (t.organization_id, t.connection_id) and c.client_id = $2;
    end;`,
    // Finds a connection by an access token's hash. Reads the person's membership on each look-up.
    `create function find_connection(token_hash bytea)
      returns table (id uuid, organization_id uuid, resource text, scope text, expires_at timestamptz, cursor_key bytea,
        log_questions boolean)
      language sql stable security definer set search_path = public, pg_temp
    begin atomic
      select c.id, c.organization_id, c.resource, c.scope, t.expires_at, o.cursor_key, o.log_questions
      from connection_tokens t
        join connections c on (c.organization_id, c.id) = (t.organization_id, t.connection_id)
        join memberships m on (m.organization_id, m.person_id) = (c.organization_id, c.person_id) and m.removed_at is null
        join organizations o on o.id = c.organization_id
      where t.token_hash = $1 and t.kind = 'access' and t.expires_at > now();
    end;`,
    `grant execute on function register_client(uuid, text, text[], inet), end_connection(bytea, text),
      exchange_token(bytea, text, text, text, text, text, bytea, bytea) to cuecard_connect;
    grant execute on function find_connection(bytea) to cuecard_mcp`,
  ),
]

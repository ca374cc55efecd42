-- Registers at most ten apps a minute for an IPv4 address or an IPv6 /64 network, one after the other, and keeps the newest 10,000 that
-- are unused: a refusal at this ceiling would let a stranger lock others out. @returns true if it did
create or replace function register_client(id uuid, name text, redirect_uris text[], address inet) returns boolean
  language plpgsql volatile security definer set search_path = public, pg_temp as $$
declare
  network constant cidr := network(set_masklen(address, case family(address) when 6 then 64 else 32 end));
begin
  perform pg_advisory_xact_lock(hashtextextended(network::text, 16));
  if (select count(*) >= 10 from oauth_clients c where c.source = network and c.created_at > now() - interval '1 minute') then
    return false;
  end if;
  delete from oauth_clients c where c.id = any (array(
    select o.id from oauth_clients o where o.source is not null and o.expires_at <= now() + interval '1 hour'
    order by o.expires_at desc offset 9999));
  insert into oauth_clients values ($1, $2, $3, network);
  return true;
end $$;

-- Exchanges a code or a refresh token for an access token (an hour) and a refresh token (30 days). A second use ends the connection,
-- because somebody else may have the token. A refresh token that is sent again within 30 seconds is a retry. Refuses more than 20
-- exchanges of a connection within an hour, of one refresh token or of each after the other.
-- @returns the scope and the resource, or the error's code (RFC 6749), with the resource if the code or refresh token exists
create or replace function exchange_token(token_hash bytea, kind text, client_id text, resource text, challenge text, redirect_uri text,
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
    return query select 'invalid_grant', null, own.resource;
  elsif $4 <> own.resource then
    return query select 'invalid_target', null, own.resource;
  elsif (select count(*) >= 20 from connection_tokens t where t.organization_id = own.organization_id and t.connection_id = own.id
      and t.kind = 'refresh' and t.expires_at > now() + interval '30 days' - interval '1 hour') then
    return query select 'temporarily_unavailable', null, own.resource;
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
end $$;

create or replace function end_connection(token_hash bytea, client_id text) returns void
  language sql volatile security definer set search_path = public, pg_temp
begin atomic
  delete from connections c using connection_tokens t
  where t.token_hash = $1 and (c.organization_id, c.id) = (t.organization_id, t.connection_id) and c.client_id = $2;
end;

-- Finds a connection by an access token's hash. Reads the person's membership on each look-up.
create or replace function find_connection(token_hash bytea)
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
end;

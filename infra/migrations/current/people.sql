-- A key has at most 20 sessions: the oldest end. Sign-ins with one key wait for each other, so that each counts the earlier ones.
create or replace function open_session(key_hash bytea, token_hash bytea, seconds integer) returns setof uuid
  language plpgsql volatile security definer set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  key record;
begin
  select k.organization_id, k.id into key from api_keys k
    where k.key_hash = $1 and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
    for no key update;
  if not found then return; end if;
  delete from sessions s where s.token_hash in (
    select n.token_hash from sessions n
    where (n.organization_id, n.api_key_id) = (key.organization_id, key.id)
    order by n.created_at desc, n.token_hash offset 19);
  return query
    insert into sessions (organization_id, api_key_id, token_hash, expires_at)
    values (key.organization_id, key.id, $2, now() + make_interval(secs => $3))
    returning organization_id;
end $$;

-- Finds a key's or a person's session. `organizations`: the number that the person can choose from.
create or replace function find_signed_in(token_hash bytea)
  returns table (organization_id uuid, organization_name text, cursor_key bytea, key_id uuid, person_id uuid, name text,
    permissions text[], expires_at timestamptz, role text, viewers_read_questions boolean, organizations integer)
  language sql stable security definer set search_path = public, pg_temp
begin atomic
  select o.id, o.name, o.cursor_key, k.id, m.person_id, coalesce(k.name, p.mail), k.permissions, k.expires_at, m.role,
    o.viewers_read_questions,
    (select count(*)::int from memberships e where e.person_id = m.person_id and e.removed_at is null)
  from sessions s
    join organizations o on o.id = s.organization_id
    left join api_keys k on (k.organization_id, k.id) = (s.organization_id, s.api_key_id)
      and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
    left join memberships m on (m.organization_id, m.person_id) = (s.organization_id, s.person_id) and m.removed_at is null
    left join people p on p.id = m.person_id
  where s.token_hash = $1 and s.expires_at > now() and num_nonnulls(k.id, m.person_id) = 1;
end;

create or replace function memberships_of(token_hash bytea) returns table (id uuid, name text, role text)
  language sql stable security definer set search_path = public, pg_temp
begin atomic
  select o.id, o.name, m.role
  from find_signed_in($1) s join memberships m on m.person_id = s.person_id and m.removed_at is null
    join organizations o on o.id = m.organization_id
  order by o.name, o.id;
end;

-- Signs in a person who has proven to own the address. A person has at most 20 sessions in an organization: the oldest end.
create or replace function sign_in_as(mail text, token_hash bytea, seconds integer, organization uuid default null)
  returns table (organization_id uuid, organizations integer)
  language plpgsql volatile security definer set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  found_person uuid := (select p.id from people p where p.mail = lower($1));
  chosen uuid;
begin
  select m.organization_id into chosen from memberships m
    where m.person_id = found_person and m.removed_at is null and m.organization_id = coalesce($4, m.organization_id)
    order by m.created_at, m.organization_id limit 1 for no key update;
  if not found then return; end if;
  delete from sessions s where s.token_hash in (
    select n.token_hash from sessions n
    where (n.organization_id, n.person_id) = (chosen, found_person)
    order by n.created_at desc, n.token_hash offset 19);
  insert into sessions (organization_id, person_id, token_hash, expires_at)
    values (chosen, found_person, $2, now() + make_interval(secs => $3));
  return query select chosen, count(*)::int from memberships m where m.person_id = found_person and m.removed_at is null;
end $$;

-- Keeps a link for every address, known or not, up to 5 an hour for a browser that its owner has used, or for a network of all other
-- browsers, and 20 for these others together. @returns whether it may be mailed: to members only; or the seconds to wait
create or replace function ask_for_link(mail text, token_hash bytea, browser_hash bytea, address inet)
  returns table (mailed boolean, seconds integer)
  language plpgsql volatile security definer set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  person constant uuid := (select p.id from people p where p.mail = lower($1));
  network constant cidr := case
    when exists (select from known_browsers b where b.person_id = person and b.browser_hash = $3) then null
    else network(set_masklen($4, case family($4) when 6 then 64 else 32 end)) end;
  free_at timestamptz;
begin
  perform pg_advisory_xact_lock(hashtextextended(lower($1), 42));
  free_at := interval '1 hour' + greatest(
    (select l.created_at from sign_in_links l
      where l.mail = lower($1) and l.source is not distinct from network and (network is not null or l.browser_hash = $3)
      order by l.created_at desc offset 4 limit 1),
    (select l.created_at from sign_in_links l where l.mail = lower($1) and l.source is not null and network is not null
      order by l.created_at desc offset 19 limit 1));
  if free_at > now() then
    return query select false, ceil(extract(epoch from free_at - now()))::int;
    return;
  end if;
  insert into sign_in_links (token_hash, browser_hash, mail, source) values ($2, $3, lower($1), network);
  return query select exists (select from memberships m where m.person_id = person and m.removed_at is null), null::int;
end $$;

-- Uses up a link of this browser. @returns its mail address
create or replace function spend_link(token_hash bytea, browser_hash bytea) returns text
  language sql volatile security definer set search_path = public, pg_temp
begin atomic
  with spent as (
    delete from sign_in_links l
    where l.token_hash = $1 and l.browser_hash = $2 and l.created_at > now() - interval '15 minutes'
    returning l.mail),
  known as (
    insert into known_browsers (person_id, browser_hash) select p.id, $2 from spent join people p using (mail)
    on conflict (person_id, browser_hash) do update set used_at = now())
  select mail from spent;
end;

create or replace function find_invitation(token_hash bytea)
  returns table (organization_name text, mail text, role text, viewers_read_questions boolean)
  language sql stable security definer set search_path = public, pg_temp
begin atomic
  select o.name, i.mail, i.role, o.viewers_read_questions from invitations i join organizations o on o.id = i.organization_id
  where i.token_hash = $1 and i.expires_at > now();
end;

-- Makes the invited person a member. @returns the mail address and the organization
create or replace function accept_invitation(token_hash bytea, action uuid, new_person uuid)
  returns table (mail text, organization_id uuid)
  language plpgsql volatile security definer set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  accepted invitations;
  member uuid;
begin
  delete from invitations i where i.token_hash = $1 and i.expires_at > now() returning * into accepted;
  if not found then return; end if;
  insert into people (id, mail) values (new_person, accepted.mail) on conflict (mail) do nothing;
  select p.id into member from people p where p.mail = accepted.mail;
  insert into memberships as m (organization_id, person_id, role) values (accepted.organization_id, member, accepted.role)
    on conflict (organization_id, person_id) do update
    set role = excluded.role, removed_at = null, created_at = now() where m.removed_at is not null;
  insert into operator_actions (id, person, command, arguments, organization_id, ended_at, outcome)
    values (action, member::text, 'person accept', array[accepted.role], accepted.organization_id, now(), 'done');
  return query select accepted.mail, accepted.organization_id;
end $$;

import { inTransaction } from './steps.ts'

/** Links to sign in are counted by browser or network, and people are named as the makers of keys and invitations. */
export const steps = [
  inTransaction(`
    -- The browsers in which a person has used a link. Nobody else can use up their links.
    create table known_browsers (
      person_id uuid not null references people (id) on delete cascade,
      browser_hash bytea not null,
      used_at timestamptz not null default now(),
      primary key (person_id, browser_hash)
    );
    create index known_browsers_by_age on known_browsers (used_at);
    alter table known_browsers enable row level security;
    grant select (person_id, browser_hash, used_at), delete on known_browsers to cuecard_sweeper;
    create policy every_browser on known_browsers to cuecard_sweeper using (true);
    alter table sign_in_links add column source cidr; -- the network that requested it; null for a known browser
    alter table api_keys add column created_by_person uuid; -- who created it in the dashboard, signed in as themselves
    alter table invitations add column invited_by uuid;
    grant select (created_by_person), insert (created_by_person) on api_keys to cuecard_dashboard, cuecard_operator;
    grant select (invited_by), insert (invited_by), update (invited_by) on invitations to cuecard_dashboard;`),
  inTransaction(
    // Keeps a link for every address, known or not, up to 5 an hour for a browser that its owner has used, or for a network of all other
    // browsers, and 20 for these others together. @returns whether it may be mailed: to members only; or the seconds to wait
    `create function ask_for_link(mail text, token_hash bytea, browser_hash bytea, address inet)
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
    end $$;`,
    `create or replace function spend_link(token_hash bytea, browser_hash bytea) returns text
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
    end;`,
    'grant execute on function ask_for_link(text, bytea, bytea, inet) to cuecard_dashboard',
  ),
]

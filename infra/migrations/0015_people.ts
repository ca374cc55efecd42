import { buildIndex, inTransaction } from './steps.ts'

const own = `organization_id = (select nullif(current_setting('cuecard.organization_id', true), '')::uuid)`

/** People, who sign in as themselves. A removed member's row stays, so that histories name the person. */
export const steps = [
  inTransaction(`
    create table people (
      id uuid primary key,
      mail text not null unique check (mail = lower(mail)),
      created_at timestamptz(3) not null default now()
    );
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
      expires_at timestamptz(3) not null,
      created_at timestamptz(3) not null default now(),
      primary key (organization_id, id),
      unique (organization_id, mail)
    );
    create table sign_in_links (
      token_hash bytea primary key,
      browser_hash bytea not null, -- the hash of a cookie in the browser that requested the link
      mail text not null,
      created_at timestamptz not null default now()
    );
    create index sign_in_links_of_mail on sign_in_links (mail, created_at);
    create index sign_in_links_by_age on sign_in_links (created_at);`),
  inTransaction(`
    alter table sessions
      alter column api_key_id drop not null,
      add column person_id uuid,
      add foreign key (organization_id, person_id) references memberships (organization_id, person_id) on delete cascade,
      add check (num_nonnulls(api_key_id, person_id) = 1);
    grant select (person_id) on sessions to cuecard_dashboard;`),
  buildIndex('sessions_of_person', 'on sessions (organization_id, person_id)'),
  buildIndex('operator_actions_of_organization', 'on operator_actions (organization_id, started_at)'),
  inTransaction(`
    alter table people enable row level security;
    alter table memberships enable row level security;
    alter table invitations enable row level security;
    alter table sign_in_links enable row level security;
    grant select on people, memberships to cuecard_dashboard, cuecard_documents, cuecard_operator;
    grant update (role, removed_at) on memberships to cuecard_dashboard;
    grant select (organization_id, id, mail, role, expires_at, created_at), delete on invitations to cuecard_dashboard;
    grant insert (organization_id, id, mail, role, token_hash, expires_at), update (id, role, token_hash, expires_at, created_at)
      on invitations to cuecard_dashboard;
    grant select (token_hash, created_at), delete on sign_in_links to cuecard_sweeper;
    grant select (organization_id, id, expires_at), delete on invitations to cuecard_sweeper;
    grant insert (id, mail), delete on people to cuecard_operator;
    grant insert (organization_id, person_id, role), update (role, removed_at, created_at) on memberships to cuecard_operator;
    grant insert (id, person, command, arguments, organization_id, ended_at, outcome) on operator_actions to cuecard_dashboard;
    grant select (id, organization_id, command, started_at) on operator_actions to cuecard_dashboard;
    create policy own on memberships to cuecard_dashboard, cuecard_documents using (${own});
    create policy of_members on people for select to cuecard_dashboard, cuecard_documents
      using (exists (select from memberships m where m.person_id = people.id and m.${own}));
    create policy own on invitations to cuecard_dashboard using (${own});
    create policy own_recorded on operator_actions for insert to cuecard_dashboard
      with check (${own} and login = session_user and outcome = 'done');
    create policy own_counted on operator_actions for select to cuecard_dashboard using (${own});
    create policy every_organization on invitations to cuecard_sweeper using (true);
    create policy every_address on sign_in_links to cuecard_sweeper using (true);
    create policy operator_reads on people for select to cuecard_operator using (true);
    create policy operator_changes on people to cuecard_operator using ((select require_operator_action()));
    create policy operator_reads on memberships for select to cuecard_operator using (true);
    create policy operator_changes on memberships to cuecard_operator using ((select require_operator_action()));`),
  inTransaction(
    // Finds a key's or a person's session. `organizations`: the number that the person can choose from.
    `create function find_signed_in(token_hash bytea)
      returns table (organization_id uuid, organization_name text, cursor_key bytea, key_id uuid, person_id uuid, name text,
        permissions text[], expires_at timestamptz, role text, organizations integer)
      language sql stable security definer set search_path = public, pg_temp
    begin atomic
      select o.id, o.name, o.cursor_key, k.id, m.person_id, coalesce(k.name, p.mail), k.permissions, k.expires_at, m.role,
        (select count(*)::int from memberships e where e.person_id = m.person_id and e.removed_at is null)
      from sessions s
        join organizations o on o.id = s.organization_id
        left join api_keys k on (k.organization_id, k.id) = (s.organization_id, s.api_key_id)
          and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
        left join memberships m on (m.organization_id, m.person_id) = (s.organization_id, s.person_id) and m.removed_at is null
        left join people p on p.id = m.person_id
      where s.token_hash = $1 and s.expires_at > now() and num_nonnulls(k.id, m.person_id) = 1;
    end;`,
    // Signs in a person who has proven to own the address. A person has at most 20 sessions in an organization: the oldest end.
    `create function sign_in_as(mail text, token_hash bytea, seconds integer, organization uuid default null)
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
    end $$;`,
    // Keeps a link for every address, known or not. @returns true if it may be sent: to members only, at most 5 times an hour
    `create function ask_for_link(mail text, token_hash bytea, browser_hash bytea) returns boolean
      language plpgsql volatile security definer set search_path = public, pg_temp as $$
    begin
      perform pg_advisory_xact_lock(hashtextextended(lower($1), 42));
      insert into sign_in_links (token_hash, browser_hash, mail) values ($2, $3, lower($1));
      return (select count(*) <= 5 from sign_in_links l where l.mail = lower($1) and l.created_at > now() - interval '1 hour')
        and exists (select from people p join memberships m on m.person_id = p.id and m.removed_at is null where p.mail = lower($1));
    end $$;`,
    // Uses up a link of this browser. @returns its mail address
    `create function spend_link(token_hash bytea, browser_hash bytea) returns text
      language sql volatile security definer set search_path = public, pg_temp
    begin atomic
      delete from sign_in_links l
      where l.token_hash = $1 and l.browser_hash = $2 and l.created_at > now() - interval '15 minutes'
      returning l.mail;
    end;`,
    `create function find_invitation(token_hash bytea) returns table (organization_name text, mail text, role text)
      language sql stable security definer set search_path = public, pg_temp
    begin atomic
      select o.name, i.mail, i.role from invitations i join organizations o on o.id = i.organization_id
      where i.token_hash = $1 and i.expires_at > now();
    end;`,
    // Makes the invited person a member. @returns the mail address and the organization
    `create function accept_invitation(token_hash bytea, action uuid, new_person uuid)
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
        on conflict (organization_id, person_id) do update set role = excluded.role, removed_at = null, created_at = now() where m.removed_at is not null;
      insert into operator_actions (id, person, command, arguments, organization_id, ended_at, outcome)
        values (action, member::text, 'person accept', array[accepted.role], accepted.organization_id, now(), 'done');
      return query select accepted.mail, accepted.organization_id;
    end $$;`,
    `create function memberships_of(token_hash bytea) returns table (id uuid, name text, role text)
      language sql stable security definer set search_path = public, pg_temp
    begin atomic
      select o.id, o.name, m.role
      from find_signed_in($1) s join memberships m on m.person_id = s.person_id and m.removed_at is null
        join organizations o on o.id = m.organization_id
      order by o.name, o.id;
    end;`,
    `grant execute on function find_signed_in(bytea), memberships_of(bytea), sign_in_as(text, bytea, integer, uuid),
      ask_for_link(text, bytea, bytea), spend_link(bytea, bytea), find_invitation(bytea), accept_invitation(bytea, uuid, uuid)
      to cuecard_dashboard`,
  ),
]

-- These two have ids but no foreign keys, because a row outlives what it names.
create table operator_actions (
  id uuid primary key,
  login text not null default session_user,
  person text not null,
  command text not null,
  arguments text[] not null,
  organization_id uuid,
  started_at timestamptz(3) not null default now(),
  ended_at timestamptz(3),
  outcome text check (outcome in ('done', 'failed')),
  detail text,
  check ((outcome is null) = (ended_at is null))
);
create index operator_actions_open on operator_actions (login) where outcome is null;
create index operator_actions_of_organization on operator_actions (organization_id, started_at);

create table erasures (
  id uuid primary key,
  kind text not null check (kind in ('organization', 'agent')),
  organization_id uuid not null,
  agent_id uuid,
  requested_at timestamptz(3) not null default now(),
  completed_at timestamptz(3),
  counts jsonb not null default '{}',
  check ((kind = 'agent') = (agent_id is not null)),
  unique nulls not distinct (organization_id, agent_id)
);

-- The type of a parameter that has the rest of its transaction work for one agent of the organization that was entered before it. Fails
-- from the moment that an erasure of the agent begins: nobody finds what is still being deleted.
create function is_kept(agent uuid) returns boolean
  language sql stable security definer set search_path = public, pg_temp as $$
  select not exists (
    select from erasures e
    where e.organization_id = nullif(current_setting('cuecard.organization_id', true), '')::uuid and e.agent_id = agent)
$$;
create domain entered_agent as uuid constraint agent_is_kept check (is_kept(value));
create index erasures_under_way on erasures (requested_at) where completed_at is null;

import { inTransaction } from './steps.ts'

const isOwn = `organization_id = (select nullif(current_setting('cuecard.organization_id', true), '')::uuid)`
const serving = 'cuecard_documents, cuecard_chunks, cuecard_search, cuecard_mcp, cuecard_platforms, cuecard_agents'
const showing = 'cuecard_organization, cuecard_dashboard'

const columns = 'requests_per_second, request_burst, tokens_per_day, documents_in_pipeline'

const statements = [
  `alter table organizations
    add column requests_per_second integer not null default 50 check (requests_per_second > 0),
    add column request_burst integer not null default 200 check (request_burst > 0),
    add column tokens_per_day bigint not null default 50000000 check (tokens_per_day >= 0),
    add column documents_in_pipeline integer not null default 10000 check (documents_in_pipeline >= 0)`,

  // What an organization has asked for: a row that many requests a second write, so it is not logged. After a crash of the database, or
  // a restart of Neon's, it begins anew, which forgives at most one burst and the tokens of the day's questions.
  `create unlogged table request_meters (
    organization_id uuid primary key references organizations on delete cascade,
    full_at timestamptz not null default '-infinity',
    day date not null default (now() at time zone 'utc')::date,
    requests bigint not null default 0,
    question_tokens bigint not null default 0
  ) with (fillfactor = 50)`,

  // What the pipeline has paid for, in tokens.
  `create table embedded_tokens (
    organization_id uuid not null references organizations on delete cascade,
    day date not null,
    tokens bigint not null,
    primary key (organization_id, day)
  )`,
  `alter table request_meters enable row level security`,
  `alter table embedded_tokens enable row level security`,

  // The generic cell rate algorithm (ITU-T I.371): full_at is when a bucket of request_burst would be full again, and every request
  // puts it off by 1/requests_per_second, also those that it is too late to refuse. They came in the last so many seconds, and count as
  // if they had come evenly. Nobody waits for the row: what is not counted now is counted with the next request. No row is returned then. An empty bucket owes a minute at most; one that owes more, as after the clock was
  // set back, owes nothing.
  `create function count_requests(requests integer, seconds double precision, question_tokens integer)
    returns table (seconds_ahead double precision, requests_per_second integer, request_burst integer, tokens_per_day bigint,
      tokens_left bigint, day_ends_in double precision)
    language plpgsql volatile security definer set search_path = public, pg_temp as $$
  #variable_conflict use_column
  declare
    own constant uuid := nullif(current_setting('cuecard.organization_id', true), '')::uuid;
    today constant date := (now() at time zone 'utc')::date;
  begin
    perform from request_meters m where m.organization_id = own for no key update skip locked;
    if not found then
      insert into request_meters (organization_id) select o.id from organizations o where o.id = own on conflict do nothing;
      if not found then return; end if;
    end if;
    return query
      with counted as (
        update request_meters m
        set full_at = least(
            greatest(case when m.full_at <= most.full_at then m.full_at end, clock_timestamp() - make_interval(secs => $2))
              + make_interval(secs => $1::float8 / o.requests_per_second),
            most.full_at),
          day = greatest(m.day, today),
          requests = case when m.day >= today then m.requests else 0 end + $1,
          question_tokens = greatest(0, case when m.day >= today then m.question_tokens else 0 end + $3)
        from organizations o,
          lateral (select clock_timestamp() + make_interval(secs => o.request_burst::float8 / o.requests_per_second + 60) as full_at) most
        where m.organization_id = own and o.id = own
        returning m.full_at, m.question_tokens, o.requests_per_second, o.request_burst, o.tokens_per_day
      )
      select extract(epoch from c.full_at - clock_timestamp())::float8, c.requests_per_second, c.request_burst,
        c.tokens_per_day, c.tokens_per_day - c.question_tokens
          - coalesce((select t.tokens from embedded_tokens t where t.organization_id = own and t.day = today), 0),
        extract(epoch from (today + 1)::timestamp at time zone 'utc' - now())::float8
      from counted c;
  end $$`,
  `revoke execute on function count_requests(integer, double precision, integer) from public`,
  `grant execute on function count_requests(integer, double precision, integer) to ${serving}, ${showing}`,

  // full_at is a time, and how many requests it stands for depends on the limits: one that is changed begins with a full bucket.
  `create function refill_requests() returns trigger
    language plpgsql security definer set search_path = public, pg_temp as $$
  begin
    update request_meters set full_at = '-infinity' where organization_id = new.id;
    return null;
  end $$`,
  `create trigger refill_requests after update of requests_per_second, request_burst on organizations for each row
    when (old.requests_per_second <> new.requests_per_second or old.request_burst <> new.request_burst)
    execute function refill_requests()`,

  // A document whose age begins in the future waits for tokens, and for nothing else. It need not wait for the next day any more: its
  // message is sent within the next minutes.
  `create function resume_postponed() returns trigger
    language plpgsql security definer set search_path = public, pg_temp as $$
  begin
    update documents set next_attempt_at = now(), pending_since = now(), resend_at = now() + random() * interval '2 minutes'
    where organization_id = new.id and status = 'pending' and managed_by = 'service' and pending_since > now();
    return null;
  end $$`,
  `create trigger resume_postponed after update of tokens_per_day on organizations for each row
    when (old.tokens_per_day < new.tokens_per_day) execute function resume_postponed()`,

  // Whoever writes. Some may slip past it that become work at the same time.
  `create function limit_documents_in_pipeline() returns trigger
    language plpgsql security definer set search_path = public, pg_temp as $$
  declare
    most integer := (select documents_in_pipeline from organizations where id = new.organization_id);
  begin
    -- Most organizations have fewer documents in all, and none of them is counted.
    if (select coalesce(sum(a.document_count), 0) from agents a where a.organization_id = new.organization_id) < most then
      return new;
    end if;
    if (select count(*) from (
          select from documents d
          where d.organization_id = new.organization_id and d.managed_by = 'service' and d.status in ('pending', 'processing')
          limit most) held) >= most then
      raise check_violation using constraint = 'documents_in_pipeline', detail = most,
        message = 'the organization has too many documents in the pipeline';
    end if;
    return new;
  end $$`,
  `create trigger limit_created_documents before insert on documents for each row
    when (new.managed_by = 'service' and new.status = 'pending') execute function limit_documents_in_pipeline()`,
  `create trigger limit_restarted_documents before update of status, managed_by on documents for each row
    when (new.managed_by = 'service' and new.status = 'pending'
      and not (old.managed_by = 'service' and old.status in ('pending', 'processing')))
    execute function limit_documents_in_pipeline()`,

  `create policy own_of_pipeline on organizations for select to cuecard_embedding
    using (id = (select nullif(current_setting('cuecard.organization_id', true), '')::uuid))`,
  `grant select (id, tokens_per_day) on organizations to cuecard_embedding`,
  `create policy own_of_pipeline on request_meters for select to cuecard_embedding using (${isOwn})`,
  `grant select (organization_id, day, question_tokens) on request_meters to cuecard_embedding`,
  `create policy own_of_pipeline on embedded_tokens to cuecard_embedding using (${isOwn})`,
  `grant select, insert, update (tokens) on embedded_tokens to cuecard_embedding`,
  `grant update (pending_since) on documents to cuecard_embedding`,

  `grant select (${columns}) on organizations to ${showing}`,
  `create policy own_use on request_meters for select to ${showing} using (${isOwn})`,
  `create policy own_use on embedded_tokens for select to ${showing} using (${isOwn})`,
  `grant select (organization_id, day, requests, question_tokens) on request_meters to ${showing}`,
  `grant select on embedded_tokens to ${showing}`,
  `create policy own_use on documents for select to cuecard_organization using (${isOwn})`,
  `grant select (organization_id, status, managed_by) on documents to cuecard_organization`,

  `grant select (${columns}), update (${columns}) on organizations to cuecard_operator`,
  `create policy operator_updates on organizations for update to cuecard_operator using ((select require_operator_action()))`,
  `create policy operator_reads on request_meters for select to cuecard_operator using (true)`,
  `create policy operator_reads on embedded_tokens for select to cuecard_operator using (true)`,
  `grant select (organization_id, day, requests, question_tokens) on request_meters to cuecard_operator`,
  `grant select on embedded_tokens to cuecard_operator`,
]

export const steps = [inTransaction(...statements)]

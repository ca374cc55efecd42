create or replace function find_key(key_hash bytea)
  returns table (id uuid, organization_id uuid, permissions text[], expires_at timestamptz, cursor_key bytea, log_questions boolean)
  language sql stable security definer set search_path = public, pg_temp
begin atomic
  select k.id, k.organization_id, k.permissions, k.expires_at, o.cursor_key, o.log_questions
  from api_keys k join organizations o on o.id = k.organization_id
  where k.key_hash = $1 and k.revoked_at is null and (k.expires_at is null or k.expires_at > now());
end;

-- The generic cell rate algorithm (ITU-T I.371). A bucket of request_burst is full again at full_at, which each request delays by
-- cost/requests_per_second, including one that is counted too late to refuse. Nobody waits for the row: if no row is returned, nothing was
-- counted. A bucket owes at most a minute. A bucket that owes more, for example after the clock was set back, owes nothing.
create or replace function count_requests(requests integer, cost double precision, question_tokens integer)
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
          greatest(case when m.full_at <= latest.full_at then m.full_at end, clock_timestamp())
            + make_interval(secs => $2 / o.requests_per_second),
          latest.full_at),
        day = greatest(m.day, today),
        requests = case when m.day >= today then m.requests else 0 end + $1,
        question_tokens = greatest(0, case when m.day >= today then m.question_tokens else 0 end + $3)
      from organizations o,
        lateral (
          select clock_timestamp() + make_interval(secs => o.request_burst::float8 / o.requests_per_second + 60) as full_at) latest
      where m.organization_id = own and o.id = own
      returning m.full_at, m.question_tokens, o.requests_per_second, o.request_burst, o.tokens_per_day
    )
    select extract(epoch from c.full_at - clock_timestamp())::float8, c.requests_per_second, c.request_burst,
      c.tokens_per_day, c.tokens_per_day - c.question_tokens
        - coalesce((select t.tokens from embedded_tokens t where t.organization_id = own and t.day = today), 0),
      extract(epoch from (today + 1)::timestamp at time zone 'utc' - now())::float8
    from counted c;
end $$;

-- The meaning of full_at depends on the limits, so a changed limit starts with a full bucket.
create or replace function refill_requests() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if tg_relid <> 'organizations'::regclass then raise insufficient_privilege; end if;
  update request_meters set full_at = '-infinity' where organization_id = new.id;
  return null;
end $$;
create or replace trigger refill_requests after update of requests_per_second, request_burst on organizations for each row
  when (old.requests_per_second <> new.requests_per_second or old.request_burst <> new.request_burst)
  execute function refill_requests();

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

-- A document with pending_since in the future waits only for tokens. Once there are more, it is resent within minutes.
create or replace function resume_postponed() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if tg_relid <> 'organizations'::regclass then raise insufficient_privilege; end if;
  update documents set next_attempt_at = now(), pending_since = now(), resend_at = now() + random() * interval '2 minutes'
  where organization_id = new.id and status = 'pending' and managed_by = 'service' and pending_since > now();
  return null;
end $$;
create or replace trigger resume_postponed after update of tokens_per_day on organizations for each row
  when (old.tokens_per_day < new.tokens_per_day) execute function resume_postponed();

-- Concurrent transactions may together exceed the limit.
create or replace function admit_to_pipeline(own uuid, added integer) returns void
  language plpgsql set search_path = public, pg_temp as $$
declare
  allowed constant integer := (select documents_in_pipeline from organizations where id = own);
begin
  if added + (select count(*) from (
        select from documents d
        where d.organization_id = own and d.managed_by = 'service' and d.status in ('pending', 'processing')
        limit allowed) held) > allowed then
    raise check_violation using constraint = 'documents_in_pipeline', detail = allowed,
      message = 'the organization has too many documents in the pipeline';
  end if;
end $$;

-- Called once before documents are inserted; the service processes `processed` of them. With a counter in the agent's row, its creates
-- would always wait for each other. They do above 5,000, so the limit is exact unless 5,000 documents are created at the same moment.
create or replace function admit_documents(own uuid, agent uuid, added integer, processed integer) returns boolean
  language plpgsql volatile security definer set search_path = public, pg_temp as $$
declare
  held bigint := (select count(*) from documents where organization_id = own and agent_id = agent and deleted_at is null);
begin
  if own <> nullif(current_setting('cuecard.organization_id', true), '')::uuid then raise insufficient_privilege; end if;
  if held + added > 5000 then
    perform pg_advisory_xact_lock(hashtextextended(agent::text, 0));
    held := (select count(*) from documents where organization_id = own and agent_id = agent and deleted_at is null);
  end if;
  if held + added > 10000 then
    raise check_violation using constraint = 'agents_document_limit', message = 'the agent has too many documents';
  end if;
  if processed > 0 then perform admit_to_pipeline(own, processed); end if;
  return true;
end $$;

create or replace function limit_documents_in_pipeline() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if tg_relid <> 'documents'::regclass then raise insufficient_privilege; end if;
  perform admit_to_pipeline(new.organization_id, 1);
  return new;
end $$;
create or replace trigger limit_restarted_documents before update of status, managed_by on documents for each row
  when (new.managed_by = 'service' and new.status = 'pending'
    and not (old.managed_by = 'service' and old.status in ('pending', 'processing')))
  execute function limit_documents_in_pipeline();

-- Transactions take turns within 5 GB of the limit, a hundred of the largest files. The pipeline's own writes are never refused: they
-- follow from an accepted text or file.
create or replace function limit_stored_bytes() returns trigger
  language plpgsql volatile security definer set search_path = public, pg_temp as $$
declare
  own constant uuid := nullif(current_setting('cuecard.organization_id', true), '')::uuid;
  allowed constant bigint := (select stored_bytes from organizations where id = own);
begin
  if tg_relid <> 'documents'::regclass then raise insufficient_privilege; end if;
  if (select sum(stored_bytes) from documents where organization_id = own) > allowed - 5000000000 then
    perform pg_advisory_xact_lock(hashtextextended(own::text, 0));
    if (select sum(stored_bytes) from documents where organization_id = own) > allowed then
      raise check_violation using constraint = 'organizations_stored_bytes', detail = allowed,
        message = 'the organization stores too many bytes';
    end if;
  end if;
  return null;
end $$;
create or replace trigger limit_inserted_bytes after insert on documents for each statement execute function limit_stored_bytes();
create or replace trigger limit_added_bytes after update on documents for each row
  when (new.stored_bytes > old.stored_bytes and (new.managed_by = 'client' or new.revision > old.revision
    -- The file of a document that this one replaces counts already.
    and (new.content is not null or new.content_hash is null or new.source_url = old.source_url)))
  execute function limit_stored_bytes();

-- Drops an entry once the organization has switched the log off, because an instance may not have noticed yet. Drops those past 200
-- an hour, so that a flood of questions can't fill the disk.
create or replace function limit_question_log() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if tg_relid <> 'question_log'::regclass then raise insufficient_privilege; end if;
  if not (select log_questions from organizations where id = new.organization_id) then
    return null;
  end if;
  if (select count(*) from (
        select from question_log
        where organization_id = new.organization_id and asked_at >= date_trunc('hour', now()) limit 200) q) >= 200 then
    return null;
  end if;
  return new;
end $$;
create or replace trigger limit_question_log before insert on question_log for each row execute function limit_question_log();

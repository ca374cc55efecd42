-- A function that any role may reach through a trigger runs with the owner's rights, fixes its search_path, and refuses to be a
-- trigger on any other table. PUBLIC never has EXECUTE: the runner revokes it for every future function.

create function find_key(key_hash bytea)
  returns table (id uuid, organization_id uuid, permissions text[], expires_at timestamptz, cursor_key bytea, log_questions boolean)
  language sql stable security definer set search_path = public, pg_temp
begin atomic
  select k.id, k.organization_id, k.permissions, k.expires_at, o.cursor_key, o.log_questions
  from api_keys k join organizations o on o.id = k.organization_id
  where k.key_hash = $1 and k.revoked_at is null and (k.expires_at is null or k.expires_at > now());
end;

-- A key has at most 20 sessions: the oldest end. Sign-ins with one key wait for each other, so that each counts the earlier ones.
create function open_session(key_hash bytea, token_hash bytea, seconds integer) returns setof uuid
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

create function find_session(token_hash bytea)
  returns table (organization_id uuid, organization_name text, cursor_key bytea, key_id uuid, key_name text, permissions text[],
    expires_at timestamptz)
  language sql stable security definer set search_path = public, pg_temp
begin atomic
  select o.id, o.name, o.cursor_key, k.id, k.name, k.permissions, k.expires_at
  from sessions s
    join api_keys k on (k.organization_id, k.id) = (s.organization_id, s.api_key_id)
    join organizations o on o.id = s.organization_id
  where s.token_hash = $1 and s.expires_at > now()
    and k.revoked_at is null and (k.expires_at is null or k.expires_at > now());
end;

-- The generic cell rate algorithm (ITU-T I.371). A bucket of request_burst is full again at full_at, which each request delays by
-- cost/requests_per_second, including one that is counted too late to refuse. Nobody waits for the row: if no row is returned, nothing was
-- counted. A bucket owes at most a minute. A bucket that owes more, for example after the clock was set back, owes nothing.
create function count_requests(requests integer, cost double precision, question_tokens integer)
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
create function refill_requests() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if tg_relid <> 'organizations'::regclass then raise insufficient_privilege; end if;
  update request_meters set full_at = '-infinity' where organization_id = new.id;
  return null;
end $$;
create trigger refill_requests after update of requests_per_second, request_burst on organizations for each row
  when (old.requests_per_second <> new.requests_per_second or old.request_burst <> new.request_burst)
  execute function refill_requests();

-- A document with pending_since in the future waits only for tokens. Once there are more, it is resent within minutes.
create function resume_postponed() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if tg_relid <> 'organizations'::regclass then raise insufficient_privilege; end if;
  update documents set next_attempt_at = now(), pending_since = now(), resend_at = now() + random() * interval '2 minutes'
  where organization_id = new.id and status = 'pending' and managed_by = 'service' and pending_since > now();
  return null;
end $$;
create trigger resume_postponed after update of tokens_per_day on organizations for each row
  when (old.tokens_per_day < new.tokens_per_day) execute function resume_postponed();

-- Concurrent transactions may together exceed the limit.
create function admit_to_pipeline(own uuid, added integer) returns void
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
create function admit_documents(own uuid, agent uuid, added integer, processed integer) returns boolean
  language plpgsql volatile security definer set search_path = public, pg_temp as $$
declare
  held bigint := (select count(*) from documents where organization_id = own and agent_id = agent);
begin
  if own <> nullif(current_setting('cuecard.organization_id', true), '')::uuid then raise insufficient_privilege; end if;
  if held + added > 5000 then
    perform pg_advisory_xact_lock(hashtextextended(agent::text, 0));
    held := (select count(*) from documents where organization_id = own and agent_id = agent);
  end if;
  if held + added > 10000 then
    raise check_violation using constraint = 'agents_document_limit', message = 'the agent has too many documents';
  end if;
  if processed > 0 then perform admit_to_pipeline(own, processed); end if;
  return true;
end $$;

create function limit_documents_in_pipeline() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if tg_relid <> 'documents'::regclass then raise insufficient_privilege; end if;
  perform admit_to_pipeline(new.organization_id, 1);
  return new;
end $$;
create trigger limit_restarted_documents before update of status, managed_by on documents for each row
  when (new.managed_by = 'service' and new.status = 'pending'
    and not (old.managed_by = 'service' and old.status in ('pending', 'processing')))
  execute function limit_documents_in_pipeline();

-- Transactions take turns within 5 GB of the limit, a hundred of the largest files. The pipeline's own writes are never refused: they
-- follow from an accepted text or file.
create function limit_stored_bytes() returns trigger
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
create trigger limit_inserted_bytes after insert on documents for each statement execute function limit_stored_bytes();
create trigger limit_added_bytes after update on documents for each row
  when (new.stored_bytes > old.stored_bytes and (new.managed_by = 'client' or new.revision > old.revision
    -- The file of a document that this one replaces counts already.
    and (new.content is not null or new.content_hash is null or new.source_url = old.source_url)))
  execute function limit_stored_bytes();

-- Drops an entry once the organization has switched the log off, because an instance may not have noticed yet. Drops those past 200
-- an hour, so that a flood of questions can't fill the disk.
create function limit_question_log() returns trigger
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
create trigger limit_question_log before insert on question_log for each row execute function limit_question_log();

-- Triggers of one event fire in the order of their names, so touch_document sees what the others set.

create function count_client_edit() returns trigger language plpgsql as $$
begin
  new.edits := old.edits + 1;
  return new;
end $$;
-- The pipeline sets only a title found in the file, starts no revision, and doesn't change a client's document.
create trigger count_client_edit before update on documents for each row
  when (old.title <> new.title and not new.title_from_file
    or old.revision <> new.revision
    or (old.valid_from, old.valid_until, old.external_id, old.metadata)
      is distinct from (new.valid_from, new.valid_until, new.external_id, new.metadata)
    or old.corrections <> new.corrections
    or new.managed_by = 'client' and (old.status, old.chunk_count) is distinct from (new.status, new.chunk_count))
  execute function count_client_edit();

-- Search finds all chunks of the service's revisions, and those of a client's revisions that have a vector.
create function count_searchable_chunks() returns trigger
  language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off as $$
begin
  if tg_relid <> 'documents'::regclass then raise insufficient_privilege; end if;
  new.searchable_chunk_count := case
    when new.active_revision is null then 0
    when new.managed_by = 'service' then new.chunk_count
    else (select count(*) from chunks c
      where c.organization_id = new.organization_id and c.document_id = new.id and c.revision = new.active_revision
        and c.vector_id is not null)
    end;
  return new;
end $$;
create trigger count_searchable_chunks before update on documents for each row
  when (old.active_revision is distinct from new.active_revision
    or new.managed_by = 'client' and new.active_revision = new.revision and old.chunk_count <> new.chunk_count)
  execute function count_searchable_chunks();

-- Only a visible change gives the document a new version.
create function touch_document() returns trigger language plpgsql as $$
begin
  new.version := old.version + 1;
  new.updated_at := clock_timestamp();
  return new;
end $$;
create trigger touch_document before update on documents for each row
  when ((old.title, old.content_hash, old.source_type, old.source_url, old.status, old.chunk_count, old.searchable_chunk_count,
        old.valid_from, old.valid_until, old.external_id, old.metadata, old.source_id, old.error_message, old.waiting_reason, old.warnings, old.resembles,
        old.corrections)
      is distinct from
      (new.title, new.content_hash, new.source_type, new.source_url, new.status, new.chunk_count, new.searchable_chunk_count,
        new.valid_from, new.valid_until, new.external_id, new.metadata, new.source_id, new.error_message, new.waiting_reason, new.warnings, new.resembles,
        new.corrections))
  execute function touch_document();

-- Restarts the age of a document that waited for a person.
create function release_document() returns trigger language plpgsql as $$
begin
  new.pending_since := now();
  new.resend_at := now();
  return new;
end $$;
create trigger release_document before update on documents for each row
  when (old.resembles is not null and new.resembles is null and old.resend_at = new.resend_at)
  execute function release_document();

-- A document that waits for a person keeps waiting when the similar document is deleted: it then resembles itself.
create function keep_waiting() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if tg_relid <> 'documents'::regclass then raise insufficient_privilege; end if;
  update documents set resembles = id where organization_id = old.organization_id and resembles = old.id;
  return null;
end $$;
create trigger keep_waiting after delete on documents for each row execute function keep_waiting();

-- Counts in the transaction of the change: the agent's tool is on while search serves a document.
create function count_ready_documents_of_agent() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  was_ready boolean := tg_op <> 'INSERT' and old.active_revision is not null;
  is_ready boolean := tg_op <> 'DELETE' and new.active_revision is not null;
  changed record;
begin
  if tg_relid <> 'documents'::regclass then raise insufficient_privilege; end if;
  if tg_op = 'DELETE' then changed := old; else changed := new; end if;
  update agents set ready_document_count = ready_document_count + is_ready::int - was_ready::int
  where organization_id = changed.organization_id and id = changed.agent_id;
  return null;
end $$;
create trigger count_inserted_ready_documents after insert on documents for each row
  when (new.active_revision is not null) execute function count_ready_documents_of_agent();
create trigger count_deleted_ready_documents after delete on documents for each row
  when (old.active_revision is not null) execute function count_ready_documents_of_agent();
create trigger count_ready_documents_of_agent after update on documents for each row
  when ((old.active_revision is null) <> (new.active_revision is null))
  execute function count_ready_documents_of_agent();

-- A document that replaced another gave it its file, so the file stays.
create function mark_file_obsolete() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if tg_relid <> 'documents'::regclass then raise insufficient_privilege; end if;
  insert into obsolete_files (source_url, last_at) select old.source_url, coalesce(old.upload_until, now())
  where not exists (
    select from documents d where (d.organization_id, d.id, d.source_url) = (old.organization_id, old.resembles, old.source_url))
  on conflict do nothing;
  return null;
end $$;
create trigger mark_file_obsolete after delete on documents for each row
  when (old.source_url like 's3://%') execute function mark_file_obsolete();
create trigger mark_replaced_file_obsolete after update on documents for each row
  when (old.source_url like 's3://%' and old.source_url is distinct from new.source_url)
  execute function mark_file_obsolete();

-- Policies call it: an operator changes nothing without an open action. It throws where a policy would silently hide the rows.
create function require_operator_action() returns boolean
  language plpgsql stable set search_path = public, pg_temp as $$
begin
  if not exists (select from operator_actions
      where login = session_user and outcome is null and started_at > now() - interval '7 days') then
    raise insufficient_privilege using message = 'an operator changes nothing without an open row in operator_actions';
  end if;
  return true;
end $$;

-- Functions with the owner's rights call it in the transaction that causes the event. A row behind another waits: the share lock
-- delays the end of the earlier delivery until this row is visible, so that its end makes this row due. With `once`, a webhook gets
-- an event of this name for the subject and `once` only one time.
create or replace function tell(own uuid, event text, subject uuid, details jsonb, once text default null) returns void
  language plpgsql volatile security definer set search_path = public, pg_temp set enable_seqscan = off as $$
declare
  hook uuid;
begin
  for hook in select w.id from webhooks w
    where w.organization_id = own and w.status = 'enabled' and event = any (w.events) order by w.id
  loop
    perform from webhook_deliveries d
      where (d.organization_id, d.webhook_id, d.subject_id) = (own, hook, subject) and d.status = 'pending'
      order by d.number desc limit 1 for share;
    insert into webhook_deliveries (organization_id, webhook_id, id, type, subject_id, data, next_attempt_at)
    values (own, hook, coalesce(md5(hook::text || event || subject::text || once)::uuid, gen_random_uuid()), event, subject, details,
      case when not found then now() end)
    on conflict do nothing;
  end loop;
end $$;

create or replace function keep_previous_secret() returns trigger language plpgsql as $$
begin
  new.previous_secret := old.secret;
  new.previous_until := now() + interval '24 hours';
  return new;
end $$;
create or replace trigger keep_previous_secret before update of secret on webhooks for each row execute function keep_previous_secret();

create or replace function tell_of_document() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  details constant jsonb := jsonb_build_object('agent_id', new.agent_id, 'document_id', new.id, 'external_id', new.external_id,
    'revision', new.revision, 'status', new.status);
begin
  if tg_relid <> 'documents'::regclass then raise insufficient_privilege; end if;
  perform tell(new.organization_id, case new.status when 'completed' then 'document.completed' else 'document.failed' end,
    new.id, details);
  if new.error_code = 'golden_questions_fail' then
    perform tell(new.organization_id, 'golden_question.failed', new.id,
      details || jsonb_build_object('golden_question_id', null));
  end if;
  return null;
end $$;
create or replace trigger tell_of_document after update on documents for each row
  when (old.status <> new.status and new.status in ('completed', 'error') and new.deleted_at is null)
  execute function tell_of_document();

create or replace function tell_of_golden_question() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if tg_relid <> 'golden_questions'::regclass then raise insufficient_privilege; end if;
  perform tell(new.organization_id, 'golden_question.failed', new.id,
    jsonb_build_object('agent_id', new.agent_id, 'golden_question_id', new.id));
  return null;
end $$;
create or replace trigger tell_of_golden_question after update of passed on golden_questions for each row
  when (old.passed and not new.passed) execute function tell_of_golden_question();

create or replace function tell_of_source() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if tg_relid <> 'sources'::regclass then raise insufficient_privilege; end if;
  perform tell(new.organization_id, 'source.failed', new.id, jsonb_build_object('agent_id', new.agent_id, 'source_id', new.id));
  return null;
end $$;
create or replace trigger tell_of_source after update on sources for each row
  when (old.status <> new.status and new.status = 'error') execute function tell_of_source();

-- A webhook is told of each missing holiday once, however often they are stored.
create or replace function tell_of_missing_holidays() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if tg_relid <> 'agents'::regclass then raise insufficient_privilege; end if;
  perform tell(new.organization_id, 'hours.missing_for_holiday', new.id,
      jsonb_build_object('agent_id', new.id) || missing.holiday, missing.holiday ->> 'day')
    from jsonb_array_elements(new.missing_holidays) missing(holiday);
  return null;
end $$;
create or replace trigger tell_of_missing_holidays after update of missing_holidays on agents for each row
  when (new.missing_holidays <> '[]') execute function tell_of_missing_holidays();

-- The sweeper calls these two. They report documents that aren't ready after ten minutes, and the previous day's unanswered questions.

create or replace function tell_of_waiting_documents() returns void
  language sql volatile security definer set search_path = public, pg_temp set enable_seqscan = off
begin atomic
  select tell(d.organization_id, 'document.waiting', d.id, jsonb_build_object('agent_id', d.agent_id, 'document_id', d.id,
    'external_id', d.external_id, 'revision', d.revision, 'status', d.status), d.revision::text)
  from documents d
  where d.managed_by = 'service' and d.status in ('pending', 'processing')
    and d.pending_since < now() - interval '10 minutes' and d.pending_since > now() - interval '70 minutes'
    -- Skips documents that wait for their upload or for a person's answer.
    and (d.content_hash is not null and d.resembles is null or d.uploaded_at is not null or d.source_url is null)
    -- A subquery, since a join would begin with all webhooks.
    and (select true from webhooks w where w.organization_id = d.organization_id and w.status = 'enabled'
      and 'document.waiting' = any (w.events) limit 1);
end;

create or replace function tell_of_unanswered_questions() returns void
  language sql volatile security definer set search_path = public, pg_temp set enable_seqscan = off
begin atomic
  with due as (
    update webhooks w set digested_on = (now() at time zone 'utc')::date
    where status = 'enabled' and 'questions.unanswered' = any (events) and digested_on < (now() at time zone 'utc')::date
    returning organization_id
  ), counted as (
    select q.organization_id, q.agent_id, count(*) as asked, count(*) filter (where q.status <> 'found') as unanswered
    from (select distinct organization_id from due) d
      join organizations o on o.id = d.organization_id and o.log_questions
      join question_log q on q.organization_id = o.id
    where q.asked_at >= ((now() at time zone 'utc')::date - 1) at time zone 'utc'
      and q.asked_at < ((now() at time zone 'utc')::date)::timestamp at time zone 'utc'
    group by 1, 2
  )
  select tell(organization_id, 'questions.unanswered', organization_id, jsonb_build_object(
      'day', (now() at time zone 'utc')::date - 1,
      'agents', jsonb_agg(jsonb_build_object('agent_id', agent_id, 'asked', asked, 'unanswered', unanswered))),
    ((now() at time zone 'utc')::date - 1)::text)
  from counted where unanswered > 0 group by organization_id;
end;

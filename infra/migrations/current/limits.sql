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
  held bigint := (
    select count(*) from documents where organization_id = own and agent_id = agent and deleted_at is null);
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
-- of the hour in which they were asked, so that a flood of questions can't fill the disk: not even one that claims to be of earlier hours,
-- since the log has 30 days.
create or replace function limit_question_log() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if tg_relid <> 'question_log'::regclass then raise insufficient_privilege; end if;
  if not (select log_questions from organizations where id = new.organization_id) then
    return null;
  end if;
  if (select count(*) from (
        select from question_log
        where organization_id = new.organization_id and asked_at >= date_trunc('hour', new.asked_at)
          and asked_at < date_trunc('hour', new.asked_at) + interval '1 hour' limit 200) q) >= 200 then
    return null;
  end if;
  return new;
end $$;
create or replace trigger limit_question_log before insert on question_log for each row execute function limit_question_log();

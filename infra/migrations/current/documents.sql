-- Triggers of one event fire in the order of their names, so touch_document sees what the others set.

create or replace function count_client_edit() returns trigger language plpgsql as $$
begin
  new.edits := old.edits + 1;
  return new;
end $$;
-- The pipeline sets only a title found in the file, starts no revision, and doesn't change a client's document.
create or replace trigger count_client_edit before update on documents for each row
  when (old.title <> new.title and not new.title_from_file
    or old.revision <> new.revision
    or (old.valid_from, old.valid_until, old.external_id, old.metadata)
      is distinct from (new.valid_from, new.valid_until, new.external_id, new.metadata)
    or old.corrections <> new.corrections
    or new.managed_by = 'client' and (old.status, old.chunk_count) is distinct from (new.status, new.chunk_count))
  execute function count_client_edit();

-- Search finds all chunks of the service's revisions, and those of a client's revisions that have a vector.
create or replace function count_searchable_chunks() returns trigger
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
create or replace trigger count_searchable_chunks before update on documents for each row
  when (old.active_revision is distinct from new.active_revision
    or new.managed_by = 'client' and new.active_revision = new.revision and old.chunk_count <> new.chunk_count)
  execute function count_searchable_chunks();

-- Only a visible change gives the document a new version.
create or replace function touch_document() returns trigger language plpgsql as $$
begin
  new.version := old.version + 1;
  new.updated_at := clock_timestamp();
  return new;
end $$;
create or replace trigger touch_document before update on documents for each row
  when ((old.title, old.content_hash, old.source_type, old.source_url, old.status, old.chunk_count, old.searchable_chunk_count,
        old.valid_from, old.valid_until, old.external_id, old.metadata, old.source_id, old.error_message,
        old.waiting_reason, old.warnings, old.resembles, old.corrections)
      is distinct from
      (new.title, new.content_hash, new.source_type, new.source_url, new.status, new.chunk_count, new.searchable_chunk_count,
        new.valid_from, new.valid_until, new.external_id, new.metadata, new.source_id, new.error_message,
        new.waiting_reason, new.warnings, new.resembles, new.corrections))
  execute function touch_document();

-- Restarts the age of a document that waited for a person.
create or replace function release_document() returns trigger language plpgsql as $$
begin
  new.pending_since := now();
  new.resend_at := now();
  return new;
end $$;
create or replace trigger release_document before update on documents for each row
  when (old.resembles is not null and new.resembles is null and old.resend_at = new.resend_at)
  execute function release_document();

-- A document that waits for a person keeps waiting when the similar document is deleted or moved to the trash: it then resembles itself.
create or replace function keep_waiting() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if tg_relid <> 'documents'::regclass then raise insufficient_privilege; end if;
  update documents set resembles = id where organization_id = old.organization_id and resembles = old.id;
  return null;
end $$;
create or replace trigger keep_waiting after delete on documents for each row execute function keep_waiting();
create or replace trigger keep_waiting_for_trashed after update on documents for each row
  when (old.deleted_at is null and new.deleted_at is not null) execute function keep_waiting();

-- Keeps the served text when other text replaces it in the row. Takes it back if the text becomes the same again, for example when a
-- file is extracted once more.
create or replace function keep_revision() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  old_text constant text := coalesce(old.content, old.extracted_text);
  new_text constant text := coalesce(new.content, new.extracted_text);
  kept document_revisions;
begin
  if tg_relid <> 'documents'::regclass then raise insufficient_privilege; end if;
  if old.managed_by = 'service' and new.managed_by = 'service' and old_text is not distinct from new_text then
    return new;
  end if;
  if old.active_revision >= old.text_revision then
    insert into document_revisions (organization_id, document_id, revision, text_revision, agent_id, title, content, chunk_offsets,
      created_at, created_by, served_at)
    select old.organization_id, old.id, old.active_revision, old.text_revision, old.agent_id, old.title,
      case old.managed_by when 'service' then old_text end, old.chunk_offsets, old.revised_at, old.revised_by, old.served_at
    from organizations o where o.id = old.organization_id and o.keep_revisions;
    delete from document_revisions r
    where r.organization_id = old.organization_id and r.document_id = old.id and r.revision <= (
      select k.revision from document_revisions k where k.organization_id = old.organization_id and k.document_id = old.id
      order by k.revision desc offset 20 limit 1);
  end if;
  delete from document_revisions r
  where r.organization_id = new.organization_id and r.document_id = new.id and r.revision = new.active_revision
    and new.managed_by = 'service' and r.content = new_text
  returning * into kept;
  if found then
    new.text_revision := kept.text_revision;
    new.revised_at := kept.created_at;
    new.revised_by := kept.created_by;
  elsif new.revision > old.revision then
    new.text_revision := new.revision;
    new.revised_at := now();
    new.revised_by := new.requested_by;
  end if;
  return new;
end $$;
create or replace trigger keep_revision before update on documents for each row
  when (old.revision <> new.revision or old.content_hash is distinct from new.content_hash)
  execute function keep_revision();

-- A document that replaced another gave it its file, so the file stays.
create or replace function mark_file_obsolete() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if tg_relid <> 'documents'::regclass then raise insufficient_privilege; end if;
  insert into obsolete_files (source_url, last_at) select old.source_url, coalesce(old.upload_until, now())
  where not exists (
    select from documents d where (d.organization_id, d.id, d.source_url) = (old.organization_id, old.resembles, old.source_url))
  on conflict do nothing;
  return null;
end $$;
create or replace trigger mark_file_obsolete after delete on documents for each row
  when (old.source_url like 's3://%') execute function mark_file_obsolete();
create or replace trigger mark_replaced_file_obsolete after update on documents for each row
  when (old.source_url like 's3://%' and old.source_url is distinct from new.source_url)
  execute function mark_file_obsolete();

-- Contents that search served and that their documents no longer have. A trigger writes them.
create table document_revisions (
  organization_id uuid not null,
  document_id uuid not null,
  revision integer not null, -- the last revision with the content
  text_revision integer not null check (text_revision <= revision), -- the first one; those between only processed it again
  agent_id uuid not null,
  title text not null,
  content text, -- null if the client uploaded chunks
  chunk_offsets integer[],
  created_at timestamptz(3) not null,
  created_by uuid,
  served_at timestamptz(3),
  replaced_at timestamptz not null default now(),
  primary key (organization_id, document_id, revision),
  foreign key (organization_id, document_id) references documents (organization_id, id) on delete cascade
);
create index document_revisions_by_age on document_revisions (replaced_at);

-- Keeps the served text when other text replaces it in the row. Takes it back if the text becomes the same again, for example when a
-- file is extracted once more.
create function keep_revision() returns trigger
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
create trigger keep_revision before update on documents for each row
  when (old.revision <> new.revision or old.content_hash is distinct from new.content_hash)
  execute function keep_revision();

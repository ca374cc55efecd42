-- What search serves of an agent, as its row and `packs` say in the transaction of the change: how many documents (the agent's tool is on
-- while there are any), and two versions. `served_version` moves with every change that an answer can show. `knowledge_version` outdates the verdicts of
-- golden questions: it moves with the other one while there are any, and when they change.

-- The chunks that a document has in a revision, by index: index, revision, sketch, the size of the terms, and the terms. Chunks without a
-- vector are left out. `chunk_count`: leaves out chunks that the revision no longer has, before they are deleted; null otherwise.
-- `of_next_model`: takes the sketches of the agent's next model.
create or replace function packed_chunks(organization uuid, document uuid, revision integer, chunk_count integer default null,
    of_next_model boolean default false, out terms_version smallint, out chunks bytea)
  language sql stable
begin atomic
  select min(get_byte(c.terms, 0))::smallint, coalesce(string_agg(
    int4send(c.chunk_index) || int4send(c.revision) || c.sketch || int4send(octet_length(c.terms)) || c.terms, ''::bytea order by c.chunk_index), '')
  from (
    select distinct on (c.chunk_index) c.chunk_index, c.revision, c.terms,
      case when of_next_model then (
        select v.sketch from vectors v
        where v.organization_id = organization and v.document_id = document and v.id = c.other_vector_id)
      else c.sketch end as sketch
    from chunks c
    where c.organization_id = organization and c.document_id = document and c.revision <= packed_chunks.revision
      and (packed_chunks.chunk_count is null or c.chunk_index < packed_chunks.chunk_count)
    order by c.chunk_index, c.revision desc) c
  where c.sketch is not null and c.terms is not null;
end;

-- Writes the pack of a served document, under a version of its agent.
create or replace function store_pack(d documents, served bigint) returns void
  language sql volatile
begin atomic
  insert into packs as p (organization_id, agent_id, document_id, version, revision, title, valid_from, valid_until, terms_version, chunks)
  select d.organization_id, d.agent_id, d.id, served, d.active_revision, d.title, d.valid_from, d.valid_until, packed.terms_version,
    packed.chunks
  from packed_chunks(d.organization_id, d.id, d.active_revision) packed
  on conflict (organization_id, agent_id, document_id) do update
  set version = excluded.version, revision = excluded.revision, title = excluded.title, valid_from = excluded.valid_from,
    valid_until = excluded.valid_until, terms_version = excluded.terms_version, chunks = excluded.chunks, unserved_at = null;
end;

create or replace function count_served_change() returns trigger
  language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off as $$
declare
  was_served constant boolean := tg_op <> 'INSERT' and old.active_revision is not null;
  is_served constant boolean := tg_op <> 'DELETE' and new.active_revision is not null;
  changed documents;
  served bigint;
begin
  if tg_relid <> 'documents'::regclass then raise insufficient_privilege; end if;
  if tg_op = 'DELETE' then changed := old; else changed := new; end if;
  update agents a set ready_document_count = a.ready_document_count + is_served::int - was_served::int,
    served_version = a.served_version + 1,
    knowledge_version = a.knowledge_version + (exists (
      select from golden_questions g where g.organization_id = a.organization_id and g.agent_id = a.id))::int
  where a.organization_id = changed.organization_id and a.id = changed.agent_id
  returning a.served_version into served;
  if served is null then return null; end if; -- the agent is being deleted
  if not is_served then
    update packs p set version = served, revision = null, title = null, valid_from = null, valid_until = null, terms_version = null,
      chunks = null, unserved_at = now()
    where p.organization_id = changed.organization_id and p.agent_id = changed.agent_id and p.document_id = changed.id;
  elsif was_served and (old.active_revision, old.searchable_chunk_count) = (new.active_revision, new.searchable_chunk_count) then
    update packs p set version = served, title = new.title, valid_from = new.valid_from, valid_until = new.valid_until
    where p.organization_id = new.organization_id and p.agent_id = new.agent_id and p.document_id = new.id;
  else
    perform store_pack(new, served);
  end if;
  return null;
end $$;
create or replace trigger count_served_insert after insert on documents for each row
  when (new.active_revision is not null) execute function count_served_change();
create or replace trigger count_served_delete after delete on documents for each row
  when (old.active_revision is not null) execute function count_served_change();
create or replace trigger count_served_change after update on documents for each row
  when ((old.active_revision is not null or new.active_revision is not null)
    and (old.active_revision, old.searchable_chunk_count, old.title, old.valid_from, old.valid_until, old.metadata, old.external_id)
      is distinct from
      (new.active_revision, new.searchable_chunk_count, new.title, new.valid_from, new.valid_until, new.metadata, new.external_id))
  execute function count_served_change();

-- From then on, nobody can tell what was removed since an older version.
create or replace function count_purged_pack() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if tg_relid <> 'packs'::regclass then raise insufficient_privilege; end if;
  update agents a set purged_version = greatest(a.purged_version, old.version)
  where a.organization_id = old.organization_id and a.id = old.agent_id;
  return null;
end $$;
create or replace trigger count_purged_pack after delete on packs for each row execute function count_purged_pack();

-- Writes a document's pack again after its terms were cut anew.
create or replace function renew_pack(organization uuid, document uuid) returns void
  language plpgsql volatile security definer set search_path = public, pg_temp as $$
declare
  changed documents;
  served bigint;
begin
  select * into changed from documents d
  where d.organization_id = organization and d.id = document and d.active_revision is not null for no key update;
  if found then
    update agents a set served_version = a.served_version + 1, knowledge_version = a.knowledge_version + 1
    where a.organization_id = organization and a.id = changed.agent_id returning a.served_version into served;
    perform store_pack(changed, served);
  end if;
end $$;

-- The agent's own columns that an answer can show.
create or replace function count_agent_change() returns trigger language plpgsql as $$
begin
  new.served_version := old.served_version + 1;
  new.knowledge_version := old.knowledge_version + 1;
  return new;
end $$;
create or replace trigger count_agent_change before update on agents for each row
  when ((old.name, old.model, old.time_zone, old.holidays) is distinct from (new.name, new.model, new.time_zone, new.holidays))
  execute function count_agent_change();

-- A change to search that was checked without this question commits before it or is checked again.
create or replace function count_golden_question_change() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  agent constant uuid := case when tg_op = 'DELETE' then old.agent_id else new.agent_id end;
begin
  if tg_relid <> 'golden_questions'::regclass then raise insufficient_privilege; end if;
  perform pg_advisory_xact_lock(hashtextextended(agent::text, 1));
  update agents set knowledge_version = knowledge_version + 1
  where organization_id = case when tg_op = 'DELETE' then old.organization_id else new.organization_id end and id = agent;
  return null;
end $$;
create or replace trigger count_golden_question_change
  after insert or delete or update of question, history, document_id, words, value, expects_value, expects_nothing, within,
    on_failure, as_of
  on golden_questions for each row execute function count_golden_question_change();

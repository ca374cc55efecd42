-- What search serves of an agent, as its row says in the transaction of the change: how many documents (the agent's tool is on while there
-- are any), and two versions. `served_version` moves with every change that an answer can show. `knowledge_version` outdates the verdicts of
-- golden questions: it moves with the other one while there are any, and when they change.

create or replace function count_served_change() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  was_served constant boolean := tg_op <> 'INSERT' and old.active_revision is not null;
  is_served constant boolean := tg_op <> 'DELETE' and new.active_revision is not null;
  changed record;
begin
  if tg_relid <> 'documents'::regclass then raise insufficient_privilege; end if;
  if tg_op = 'DELETE' then changed := old; else changed := new; end if;
  update agents a set ready_document_count = a.ready_document_count + is_served::int - was_served::int,
    served_version = a.served_version + 1,
    knowledge_version = a.knowledge_version + (exists (
      select from golden_questions g where g.organization_id = a.organization_id and g.agent_id = a.id))::int
  where a.organization_id = changed.organization_id and a.id = changed.agent_id;
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

-- Any change to what search serves increments the version and so outdates a check of golden questions.
create or replace function count_knowledge_change() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if tg_relid <> 'documents'::regclass then raise insufficient_privilege; end if;
  update agents set knowledge_version = knowledge_version + 1
  where organization_id = old.organization_id and id = old.agent_id
    and exists (select from golden_questions where organization_id = old.organization_id and agent_id = old.agent_id);
  return null;
end $$;
create or replace trigger count_knowledge_change after update on documents for each row
  when ((old.active_revision, old.searchable_chunk_count, old.title, old.valid_from, old.valid_until)
      is distinct from (new.active_revision, new.searchable_chunk_count, new.title, new.valid_from, new.valid_until))
  execute function count_knowledge_change();
create or replace trigger count_deleted_knowledge after delete on documents for each row
  when (old.active_revision is not null) execute function count_knowledge_change();

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

-- Questions that search must keep answering, with their vectors and the result of the last check.
create table golden_questions (
  organization_id uuid not null,
  agent_id uuid not null,
  id uuid not null,
  question text not null,
  document_id uuid, -- the expected document
  words text, -- the expected words
  expects_nothing boolean not null default false,
  within integer not null check (within between 1 and 10),
  on_failure text not null check (on_failure in ('warn', 'block')),
  as_of timestamptz(3),
  model text not null, -- the model of the vector
  embedding halfvec(1536) storage plain not null,
  high bit(1536) storage plain not null,
  middle bit(1536) storage plain not null,
  low bit(1536) storage plain not null,
  cosine_per_unit double precision not null,
  passed boolean,
  rank integer,
  checked_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  primary key (organization_id, agent_id, id),
  foreign key (organization_id, agent_id) references agents (organization_id, id) on delete cascade,
  check (expects_nothing = (coalesce(document_id::text, words) is null))
);

-- Any change to what search serves increments the version and so outdates a check of golden questions.
create function count_knowledge_change() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if tg_relid <> 'documents'::regclass then raise insufficient_privilege; end if;
  update agents set knowledge_version = knowledge_version + 1
  where organization_id = old.organization_id and id = old.agent_id
    and exists (select from golden_questions where organization_id = old.organization_id and agent_id = old.agent_id);
  return null;
end $$;
create trigger count_knowledge_change after update on documents for each row
  when ((old.active_revision, old.searchable_chunk_count, old.title, old.valid_from, old.valid_until)
      is distinct from (new.active_revision, new.searchable_chunk_count, new.title, new.valid_from, new.valid_until))
  execute function count_knowledge_change();
create trigger count_deleted_knowledge after delete on documents for each row
  when (old.active_revision is not null) execute function count_knowledge_change();

-- A change to search that was checked without this question commits before it or is checked again.
create function count_golden_question_change() returns trigger
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
create trigger count_golden_question_change
  after insert or delete or update of question, document_id, words, expects_nothing, within, on_failure, as_of on golden_questions
  for each row execute function count_golden_question_change();

-- Answers questions as if documents were changed: makes the changes in a subtransaction, which is always undone. A change `serves` a
-- document's newest revision, `replaces` its text by the chunks in `made`, or `removes` it; null leaves its chunks as they are. A title
-- changes unless it is null. A change that `switches_model` names no document. Leaves out chunks in `made` of a model that doesn't serve
-- the agent. A golden question without a vector has a stored one. Returns the rows of `answers` by the question's id.
create or replace function answers_after(organization uuid, agent uuid, changes jsonb, made jsonb, questions jsonb) returns jsonb
  language plpgsql volatile security definer set search_path = public, pg_temp
  set enable_seqscan = off set enable_bitmapscan = off set jit = off as $$
#variable_conflict use_column
declare
  answers jsonb;
begin
  if organization is distinct from nullif(current_setting('cuecard.organization_id', true), '')::uuid then
    raise insufficient_privilege;
  end if;
  begin
    if exists (select from jsonb_to_recordset(changes) as c(action text) where c.action = 'switches_model') then
      perform switch_model(organization, agent);
    end if;
    update documents d set
      title = coalesce(c.title, d.title), title_terms = coalesce(c.title_terms, d.title_terms),
      valid_from = case when c.dates then c.valid_from else d.valid_from end,
      valid_until = case when c.dates then c.valid_until else d.valid_until end
    from jsonb_to_recordset(changes) as c(document_id uuid, title text, title_terms sparsevec, dates boolean, valid_from timestamptz,
      valid_until timestamptz)
    where d.organization_id = organization and d.agent_id = agent and d.id = c.document_id;
    update documents d set
      managed_by = case c.action when 'replaces' then 'service' when 'removes' then 'client' else d.managed_by end,
      status = case when c.action = 'removes' then 'pending' else 'completed' end,
      revision = d.revision + (c.action = 'replaces')::integer,
      active_revision = case c.action when 'serves' then d.revision when 'replaces' then d.revision + 1 end,
      chunk_count = coalesce(c.chunk_count, d.chunk_count), chunk_offsets = null, chunk_pages = null,
      lease_token = null, lease_expires_at = null, error_message = null
    from jsonb_to_recordset(changes) as c(document_id uuid, action text, chunk_count integer)
    where c.action is not null and d.organization_id = organization and d.agent_id = agent and d.id = c.document_id;
    insert into vectors (organization_id, document_id, id, exponent, embedding, sketch, model)
    select organization, m.document_id, m.vector_id, m.exponent, m.embedding, m.sketch, m.model
    from jsonb_to_recordset(made) as m(document_id uuid, vector_id uuid, exponent smallint, embedding halfvec, sketch bit(1536), model text)
    where m.embedding is not null on conflict do nothing;
    insert into chunks (organization_id, agent_id, document_id, revision, id, chunk_index, content, token_count, metadata, vector_id,
      sketch)
    select organization, agent, d.id, d.revision, gen_random_uuid(), m.chunk_index, m.content, m.token_count, m.metadata, m.vector_id,
      v.sketch
    from jsonb_to_recordset(made) as m(document_id uuid, vector_id uuid, chunk_index integer, content text, token_count integer,
        metadata jsonb, model text)
      join documents d on d.organization_id = organization and d.agent_id = agent and d.id = m.document_id
      join vectors v on v.organization_id = organization and v.document_id = d.id and v.id = m.vector_id
    where exists (
      select from agents a where a.organization_id = organization and a.id = agent and coalesce(m.model = a.model, true));
    insert into chunk_terms (organization_id, agent_id, document_id, revision, chunk_index, length, terms)
    select organization, agent, d.id, d.revision, m.chunk_index, m.length, m.terms
    from jsonb_to_recordset(made) as m(document_id uuid, chunk_index integer, length integer, terms sparsevec)
      join documents d on d.organization_id = organization and d.agent_id = agent and d.id = m.document_id;
    delete from chunks c using documents d, jsonb_to_recordset(changes) as x(document_id uuid, action text, chunk_count integer)
    where x.action is not null and d.organization_id = organization and d.agent_id = agent and d.id = x.document_id
      and c.organization_id = organization and c.document_id = d.id
      and (x.action = 'removes' or c.revision <> d.revision and (x.action = 'replaces' or x.chunk_count is null
        or c.chunk_index >= x.chunk_count or exists (
          select from chunks n where n.organization_id = organization and n.document_id = d.id and n.revision = d.revision
            and n.chunk_index = c.chunk_index)));
    select jsonb_object_agg(q.id, s.found) into answers
    from jsonb_to_recordset(questions) as q(id uuid, question jsonb)
      left join golden_questions g on g.organization_id = organization and g.agent_id = agent and g.id = q.id
        and q.question -> 'asked_model' is null
      left join lateral (
        select g.model as asked_model, g.model as assumed_model,
          array[row (null, g.embedding, g.high, g.middle, g.low, g.cosine_per_unit)::asked_vector] as vectors
        where g.id is not null) stored on true
      cross join lateral (
        select jsonb_agg(f) as found
        from answers(jsonb_populate_record(null::question, q.question || coalesce(to_jsonb(stored), '{}'))) f) s;
    raise exception using errcode = 'CU001';
  exception when sqlstate 'CU001' then
    null;
  end;
  return answers;
end $$;

-- Changes an agent to its next model if every chunk that search serves, or that a client can have served, has that model's vector. Chunks
-- that the service has not served yet lose their vector and are embedded again. All others swap their two vectors, to allow a return.
create or replace function switch_model(organization uuid, agent uuid) returns boolean
  language plpgsql volatile security definer set search_path = public, pg_temp
  set enable_seqscan = off set enable_bitmapscan = off set jit = off as $$
declare
  served bigint;
begin
  if organization is distinct from nullif(current_setting('cuecard.organization_id', true), '')::uuid then
    raise insufficient_privilege;
  end if;
  -- Transactions that store vectors, or change the served revision, wait.
  perform pg_advisory_xact_lock(hashtextextended(agent::text, 1));
  if not exists (
      select from agents where organization_id = organization and id = agent and next_model is not null and former_model is null)
    or exists (
      select from chunks c join documents d on d.organization_id = c.organization_id and d.id = c.document_id
      where c.organization_id = organization and c.agent_id = agent and c.vector_id is not null and c.other_vector_id is null
        and (c.revision <= d.active_revision or d.managed_by = 'client' and c.revision = d.revision and d.deleted_at is null)) then
    return false;
  end if;
  update chunks c set vector_id = c.other_vector_id,
    other_vector_id = case when c.other_vector_id is not null then c.vector_id end,
    sketch = (
      select v.sketch from vectors v
      where v.organization_id = organization and v.document_id = c.document_id and v.id = c.other_vector_id)
  where c.organization_id = organization and c.agent_id = agent and coalesce(c.vector_id, c.other_vector_id) is not null;
  -- A document in the trash without the new model's vectors is embedded after it is restored.
  update documents d set before_deletion = d.before_deletion || '{"status": "pending", "active_revision": null}'
  where d.organization_id = organization and d.agent_id = agent and d.deleted_at is not null and d.managed_by = 'service'
    and exists (
      select from chunks c where c.organization_id = organization and c.agent_id = agent and c.document_id = d.id
        and c.revision <= (d.before_deletion ->> 'active_revision')::integer and c.vector_id is null);
  -- Comes after these, because other transactions lock the agent's row after its chunks.
  update agents a set model = a.next_model, next_model = null, former_model = a.model, model_waiting = null,
    former_until = now() + interval '7 days', model_due_at = now() + interval '7 days'
  where a.organization_id = organization and a.id = agent returning a.served_version into served;
  update packs p set version = served,
    chunks = (select packed.chunks from packed_chunks(organization, p.document_id, p.revision) packed)
  where p.organization_id = organization and p.agent_id = agent and p.revision is not null;
  return true;
end $$;

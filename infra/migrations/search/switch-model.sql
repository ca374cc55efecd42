-- An agent changes to its next model if every chunk that search serves, or a client can have served, has a vector of it. What the service
-- has not served yet loses its vector, and is embedded anew. All others swap their two vectors, so that the next change can be the way back.
create or replace function switch_model(organization uuid, agent uuid) returns boolean
  language plpgsql volatile security definer set search_path = public, pg_temp
  set enable_seqscan = off set enable_bitmapscan = off set jit = off as $$
begin
  if organization is distinct from nullif(current_setting('cuecard.organization_id', true), '')::uuid then
    raise insufficient_privilege;
  end if;
  -- Whoever stores vectors, or changes what search serves, waits.
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
  -- What is in the trash without its vectors is embedded once it is restored.
  update documents d set before_deletion = d.before_deletion || '{"status": "pending", "active_revision": null}'
  where d.organization_id = organization and d.agent_id = agent and d.deleted_at is not null and d.managed_by = 'service'
    and exists (
      select from chunks c where c.organization_id = organization and c.agent_id = agent and c.document_id = d.id
        and c.revision <= (d.before_deletion ->> 'active_revision')::integer and c.vector_id is null);
  -- Its clusters are of the former model: the sweeper makes new ones.
  update clustered_agents set chunks = null, share = null where organization_id = organization and agent_id = agent;
  -- Last, as others lock the agent's row after those of its chunks.
  update agents a set model = a.next_model, next_model = null, former_model = a.model, model_waiting = null,
    former_until = now() + interval '7 days', model_due_at = now() + interval '7 days', knowledge_version = a.knowledge_version + 1
  where a.organization_id = organization and a.id = agent;
  return true;
end $$;

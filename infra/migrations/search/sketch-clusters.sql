-- Puts the sketches of a large agent into clusters, so that a search compares only the nearest ones: an inverted file (Jégou, Douze &
-- Schmid 2011) by k-majority (Grana et al. 2013). The sweeper makes it, and measures how many sketches a question needs. Cluster -1 is a
-- random sample. A search also compares the chunks of documents whose `clustered_revision` is not the served one.

create or replace function agents_to_cluster(min_chunks integer, min_unclustered integer)
  returns table (organization_id uuid, agent_id uuid)
  language sql stable security definer set search_path = public, pg_temp
begin atomic
  select d.organization_id, d.agent_id
  from documents d left join clustered_agents c on c.organization_id = d.organization_id and c.agent_id = d.agent_id
  where d.active_revision is not null
  group by d.organization_id, d.agent_id, c.chunks, c.rounds
  having sum(d.chunk_count) >= case when c.chunks is null then min_chunks else min_chunks / 2 end
    and (c.chunks is null or c.rounds <= 4 or sum(d.chunk_count) not between c.chunks / 2 and c.chunks * 2
      or sum(d.chunk_count) filter (where d.clustered_revision is distinct from d.active_revision) >= min_unclustered);
end;

create or replace function nearest_centers(organization uuid, agent uuid, sketches bit[]) returns table (n bigint, cluster integer)
  language sql stable
begin atomic
  with centers as materialized (
    select c.cluster, c.center from sketch_clusters c
    where c.organization_id = organization and c.agent_id = agent)
  select s.n, c.cluster
  from unnest(sketches) with ordinality s(sketch, n)
  cross join lateral (select c.cluster from centers c order by c.center <~> s.sketch limit 1) c;
end;

-- The number of sketches that a search compares until it has met 99 in 100 of the best chunks. Measured with the organization's questions,
-- or with chunks if it has few questions.
create or replace function sketches_needed(organization uuid, agent uuid) returns bigint
  language plpgsql volatile set enable_seqscan = off set enable_bitmapscan = off set jit = off as $$
declare
  q record;
  needed bigint[] := '{}';
  asked constant integer := (
    select count(*) from (select from query_vectors where organization_id = organization limit 40) q);
begin
  for q in
    (select row (null, embedding, high, middle, low, cosine_per_unit)::asked_vector as vector, null::uuid as document_id, 0 as chunk_index
    from query_vectors where organization_id = organization and asked = 40 order by created_at desc limit 40)
    union all
    -- Near 0 the cosine of two sketches is their distance times this.
    (select row (null, v.embedding, v.sketch, v.sketch, v.sketch, pi() / (7 * 1536))::asked_vector, c.document_id, c.chunk_index
    from clustered_sketches c
    join vectors v on v.organization_id = organization and v.document_id = c.document_id and v.id = c.vector_id
    where c.organization_id = organization and c.agent_id = agent and c.cluster = -1 and asked < 40 limit 40)
  loop
    needed := needed || array(
      select r.read
      from (
        select n.document_id, n.revision, n.chunk_index
        from nearest_chunks(jsonb_populate_record(null::question, jsonb_build_object('organization', organization, 'agent', agent,
          'as_of', now(), 'hit_limit', 10, 'vectors', jsonb_build_array(to_jsonb(q.vector)))), null) n
        where (n.document_id, n.chunk_index) is distinct from (q.document_id, q.chunk_index)
        order by n.cosine desc limit 10) n
      cross join lateral (
        select s.cluster from clustered_sketches s
        where s.organization_id = organization and s.agent_id = agent and s.document_id = n.document_id and s.revision = n.revision
          and s.chunk_index = n.chunk_index and s.cluster >= 0 offset 0) s
      join (
        select c.cluster, sum(c.sketches) over (order by distance(c.center, (q.vector).high, (q.vector).middle, (q.vector).low), c.cluster) as read
        from sketch_clusters c where c.organization_id = organization and c.agent_id = agent) r using (cluster));
  end loop;
  return (select percentile_disc(0.99) within group (order by n) from unnest(needed) n);
end $$;

-- Does one step: starts over if the agent's size has changed by a factor of two, else improves the centers, puts about `max_chunks` chunks
-- into their clusters, or measures. @returns the number of sketches handled, 0 when nothing is left
create or replace function cluster_chunks(organization uuid, agent uuid, max_chunks integer) returns integer
  language plpgsql volatile security definer set search_path = public, pg_temp
  set enable_seqscan = off set enable_bitmapscan = off set jit = off set lock_timeout = '500ms' as $$
#variable_conflict use_column
declare
  max_clusters constant integer := 1024;
  sample_size constant integer := 640;
  -- A search that reads a larger share of the sketches is as fast without clusters. Reading fewer than `min_read` gains nothing.
  max_share constant real := 0.25;
  min_read constant integer := 1000;
  served constant integer := (
    select coalesce(sum(chunk_count), 0) from documents
    where organization_id = organization and agent_id = agent and active_revision is not null);
  done clustered_agents;
  chosen uuid[];
  sample bit(1536)[];
  needed bigint;
  added integer;
begin
  insert into clustered_agents (organization_id, agent_id)
  select a.organization_id, a.id from agents a where a.organization_id = organization and a.id = agent on conflict do nothing;
  select * into done from clustered_agents where organization_id = organization and agent_id = agent for update skip locked;
  if not found then return 0; end if;

  if done.chunks is null or served not between done.chunks / 2 and done.chunks * 2 then
    delete from sketch_clusters where organization_id = organization and agent_id = agent;
    delete from clustered_sketches where organization_id = organization and agent_id = agent;
    update documents set clustered_revision = null
    where organization_id = organization and agent_id = agent and clustered_revision is not null;
    with sample as (
      select row_number() over () as n, s.*
      from (
        select document_id, revision, chunk_index, vector_id, sketch from chunks
        where organization_id = organization and agent_id = agent and sketch is not null
        order by random() limit greatest(sample_size, least(max_clusters, served / 25))) s),
    sampled as (
      insert into clustered_sketches (organization_id, agent_id, cluster, document_id, revision, chunk_index, vector_id, sketch)
      select organization, agent, -1, document_id, revision, chunk_index, vector_id, sketch from sample where n <= sample_size)
    insert into sketch_clusters (organization_id, agent_id, cluster, center)
    select organization, agent, n, sketch from sample where n <= least(max_clusters, served / 25);
    update clustered_agents set chunks = served, rounds = 0, share = null where organization_id = organization and agent_id = agent;
    return least(max_clusters, served / 25);
  end if;

  if done.rounds < 4 then
    sample := array(
      select sketch from chunks where organization_id = organization and agent_id = agent and sketch is not null
      order by random() limit 12 * least(max_clusters, done.chunks / 25));
    update sketch_clusters c
    set center = at_least(sums(m.members, array_fill(1, array[cardinality(m.members)])), (cardinality(m.members) + 1) / 2)::bit(1536)
    from (
      select n.cluster, (array_agg(sample[n.n]::bit varying))[:1000] as members from nearest_centers(organization, agent, sample) n
      group by n.cluster) m
    where c.organization_id = organization and c.agent_id = agent and c.cluster = m.cluster;
    update clustered_agents set rounds = rounds + 1 where organization_id = organization and agent_id = agent;
    return cardinality(sample);
  end if;

  select array_agg(id) into chosen
  from (
    select id, sum(chunk_count) over (order by id) - chunk_count as before
    from (
      select id, chunk_count from documents
      where organization_id = organization and agent_id = agent and active_revision is not null
        and clustered_revision is distinct from active_revision
      order by id limit 500 for no key update skip locked) d) d
  where before < max_chunks;
  if chosen is not null then
    with unclustered as materialized (
      select row_number() over () as n, c.document_id, c.revision, c.chunk_index, c.vector_id, c.sketch
      from documents d
      cross join lateral (
        select document_id, revision, chunk_index, vector_id, sketch from chunks
        where organization_id = organization and agent_id = agent and document_id = d.id and revision <= d.active_revision
          and sketch is not null
        except
        select document_id, revision, chunk_index, vector_id, sketch from clustered_sketches
        where organization_id = organization and agent_id = agent and document_id = d.id and cluster >= 0) c
      where d.organization_id = organization and d.id = any (chosen)),
    added as (
      insert into clustered_sketches (organization_id, agent_id, cluster, document_id, revision, chunk_index, vector_id, sketch)
      select organization, agent, n.cluster, u.document_id, u.revision, u.chunk_index, u.vector_id, u.sketch
      from unclustered u
      join nearest_centers(organization, agent, array(select sketch from unclustered order by n)) n using (n)
      returning cluster),
    counted as (
      update sketch_clusters c set sketches = c.sketches + a.added
      from (select cluster, count(*)::integer as added from added group by cluster) a
      where c.organization_id = organization and c.agent_id = agent and c.cluster = a.cluster
      returning a.added)
    select coalesce(sum(added), 0) into added from counted;
    update documents set clustered_revision = active_revision where organization_id = organization and id = any (chosen);
    return added;
  end if;

  if done.rounds = 4 then
    needed := sketches_needed(organization, agent);
    update clustered_agents set rounds = 5,
      share = (select case when needed <= max_share * sum(sketches)
        then least(max_share, greatest(min_read, needed)::real / sum(sketches)) end from sketch_clusters
        where organization_id = organization and agent_id = agent)
    where organization_id = organization and agent_id = agent;
  end if;
  return 0;
end $$;

create or replace function delete_clustered_sketches() returns trigger
  language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off as $$
begin
  if tg_relid <> 'chunks'::regclass then raise insufficient_privilege; end if;
  delete from clustered_sketches s using deleted d
  where s.organization_id = d.organization_id and s.agent_id = d.agent_id and s.document_id = d.document_id
    and s.revision = d.revision and s.chunk_index = d.chunk_index;
  return null;
end $$;
create or replace trigger delete_clustered_sketches after delete on chunks referencing old table as deleted
  for each statement execute function delete_clustered_sketches();

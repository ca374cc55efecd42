-- Interprets a question's cosines, which each model spreads differently. A chunk at `unlike` is unrelated; one that is higher by `reach`
-- answers. `unlike` is the mean of all but the best, or 0.15 if there is no other. `reach` is half the distance to 1, or eight deviations
-- if that is more. Both are rounded, because the last digits of a sum depend on the order of its rows.
drop function if exists likeness(bigint, float8, float8, float8, float8);
create or replace function likeness(cosines float8[], variance_of_error float8) returns table (unlike float8, reach float8)
  language sql immutable
begin atomic
  select unlike, greatest(8 * deviation, (1 - unlike) / 2, 1e-6)
  from (
    select round(coalesce(mean, 0.15)::numeric, 6)::float8 as unlike,
      round(sqrt(greatest(0, coalesce(squares - mean ^ 2 - variance_of_error, 0)))::numeric, 6)::float8 as deviation
    from (
      select (sum(c) - max(c)) / nullif(count(*) - 1, 0) as mean, (sum(c * c) - max(c) ^ 2) / nullif(count(*) - 1, 0) as squares
      from unnest(cosines) c) m) d;
end;

-- Finds the chunks near a question, or near its hypotheses, in meaning. Sketches estimate all cosines. A chunk is left out if its estimate
-- is three deviations below the last of the best. A sample has one chunk in 32, by the index `chunks_sample`, or is a cluster. Its best are
-- no nearer than the best of all, so that far chunks are dropped before sorting.
create or replace function nearest_chunks(asked question, examined uuid)
  returns table (hypothesis integer, document_id uuid, revision integer, chunk_index integer, cosine float8, unlike float8, reach float8)
  language plpgsql stable as $$
#variable_conflict use_column
declare
  compared_exactly constant integer := 200;
  max_candidates constant integer := case when examined is null then 2000 end;
  -- Fusion can move at most this many to the top.
  max_found constant integer := case when examined is null then 100 end;
  min_sample constant integer := 64;
  deviation constant float8 := 0.0203; -- of an estimate: 0.75 / √1536 (Gao & Long 2024, theorem 3.2), and a little for the query's bits
  distance_of_zero constant integer := 7 * 1536 / 2; -- the distance whose estimate is 0
  q record;
  share real;
  clusters integer[];
  sample float8[];
  far float8;
begin
  if asked.documents is null and asked.metadata is null and examined is null then
    select c.share into share from clustered_agents c
    where c.organization_id = asked.organization and c.agent_id = asked.agent;
    if share is not null then
      asked.documents := array(
        select d.id from documents d
        where d.organization_id = asked.organization and d.agent_id = asked.agent
          and d.clustered_revision is distinct from d.active_revision);
    end if;
  end if;
  for q in
    select v.hypothesis::integer, v.vector, v.high, v.middle, v.low, v.scale
    from unnest(asked.vectors) with ordinality v(key, vector, high, middle, low, scale, hypothesis) where v.vector is not null
  loop
    if share is null then
      sample := array(
        select (distance_of_zero - distance(c.sketch, q.high, q.middle, q.low)) * q.scale as estimate
        from served_chunks(asked.organization, asked.agent, asked.documents, asked.metadata, asked.as_of, null) c
        where get_byte(uuid_send(c.vector_id), 15) < 8 order by estimate desc);
    else
      sample := array(
        select (distance_of_zero - distance(c.sketch, q.high, q.middle, q.low)) * q.scale as estimate
        from served_chunks(asked.organization, asked.agent, '{}', null, asked.as_of, '{-1}') c order by estimate desc);
      clusters := array(
        select c.cluster
        from (
          select c.cluster, sum(c.sketches) over (order by c.distance, c.cluster) - c.sketches as before, sum(c.sketches) over () as total
          from (
            select c.cluster, c.sketches, distance(c.center, q.high, q.middle, q.low) as distance from sketch_clusters c
            where c.organization_id = asked.organization and c.agent_id = asked.agent) c) c
        where c.before < share * c.total);
    end if;
    far := case when cardinality(sample) >= min_sample then sample[asked.hit_limit] - 3 * deviation else '-infinity' end;
    return query
      with estimated as materialized (
        select *
        from (
          select c.document_id, c.revision, c.chunk_index, c.vector_id,
            (distance_of_zero - distance(c.sketch, q.high, q.middle, q.low)) * q.scale as estimate
          from served_chunks(asked.organization, asked.agent, asked.documents, asked.metadata, asked.as_of, clusters) c offset 0) c
        where c.estimate >= far or c.document_id = examined),
      estimates as materialized (
        select array_agg(e.estimate order by e.estimate desc) as all_estimates, count(*) > compared_exactly or far > '-infinity' as are_many
        from estimated e),
      nearest as materialized (
        select c.document_id, c.revision, c.chunk_index, 1 - (v.embedding <=> q.vector) as cosine
        from (
          select e.* from estimated e cross join estimates
          where not are_many or e.estimate >= coalesce(all_estimates[asked.hit_limit] - 3 * deviation, '-infinity') or e.document_id = examined
          order by e.estimate desc limit max_candidates) c
        cross join lateral (
          select v.embedding from vectors v
          where v.organization_id = asked.organization and v.document_id = c.document_id and v.id = c.vector_id offset 0) v),
      likeness as materialized (
        select l.*
        from (
          select case when not are_many then array(select cosine from nearest) when far > '-infinity' then sample else all_estimates end as cosines,
            case when are_many then deviation ^ 2 else 0 end as variance_of_error
          from estimates offset 0) c
        cross join lateral likeness(c.cosines, c.variance_of_error) l)
      select q.hypothesis, n.*, l.unlike, l.reach
      from likeness l cross join (select * from nearest n order by n.cosine desc, n.document_id, n.chunk_index limit max_found) n;
  end loop;
end $$;

-- What a question's cosines mean, since each model spreads them differently: one of `unlike` is unrelated, one that is higher by `reach`
-- answers. `unlike` is the mean of all but the best, or 0.15 where there is no other; `reach` is half of what is left to 1, or eight
-- deviations if that is more. Rounded, because the last digits of a sum depend on the order of its rows.
create or replace function likeness(cosines bigint, sum float8, sum_of_squares float8, best float8, variance_of_error float8)
  returns table (unlike float8, reach float8)
  language sql immutable
begin atomic
  select unlike, greatest(8 * deviation, (1 - unlike) / 2, 1e-6)
  from (
    select round(coalesce(mean, 0.15)::numeric, 6)::float8 as unlike,
      round(sqrt(greatest(0, coalesce(squares - mean ^ 2 - variance_of_error, 0)))::numeric, 6)::float8 as deviation
    from (
      select (sum - best) / nullif(cosines - 1, 0) as mean, (sum_of_squares - best ^ 2) / nullif(cosines - 1, 0) as squares) m) d;
end;

-- Chunks that are near a question, or several hypotheses of one, in meaning.
create or replace function nearest_chunks(asked question, examined uuid)
  returns table (hypothesis integer, document_id uuid, revision integer, chunk_index integer, cosine float8, unlike float8, reach float8)
  language plpgsql stable as $$
#variable_conflict use_column
declare
  compared_exactly constant integer := 200;
  max_candidates constant integer := 2000;
  -- As many as fusion can move to the top.
  max_found constant integer := case when examined is null then 100 end;
  min_sample constant integer := 64;
  deviation constant float8 := 0.0203; -- of an estimate: 0.75 / √1536 (Gao & Long 2024, theorem 3.2), and a little for the query's bits
  distance_of_zero constant integer := 7 * 1536 / 2; -- of an estimate of 0
  share real;
begin
  if not exists (select from unnest(asked.vectors) where vector is not null) then
    return;
  end if;
  if (select count(*) from (
      select from chunks c where c.organization_id = asked.organization and c.agent_id = asked.agent limit compared_exactly + 1) c)
      <= compared_exactly then
    return query
      with query as materialized (
        select q.hypothesis::integer, q.vector
        from unnest(asked.vectors) with ordinality q(key, vector, high, middle, low, scale, hypothesis) where q.vector is not null),
      nearest as materialized (
        select q.hypothesis, c.document_id, c.revision, c.chunk_index, 1 - (v.embedding <=> q.vector) as cosine
        from served_chunks(asked.organization, asked.agent, asked.documents, asked.metadata, asked.as_of, null) c
        cross join lateral (
          select v.embedding from vectors v
          where v.organization_id = asked.organization and v.document_id = c.document_id and v.id = c.vector_id offset 0) v
        cross join query q),
      likeness as (
        select s.hypothesis, l.unlike, l.reach
        from (
          select hypothesis, count(*) as cosines, sum(cosine), sum(cosine * cosine) as sum_of_squares, max(cosine) as best
          from nearest group by hypothesis) s
        cross join likeness(s.cosines, s.sum, s.sum_of_squares, s.best, 0) l)
      select l.hypothesis, n.document_id, n.revision, n.chunk_index, n.cosine, l.unlike, l.reach
      from likeness l cross join lateral (
        select * from nearest n where n.hypothesis = l.hypothesis order by n.cosine desc, n.document_id, n.chunk_index limit max_found) n;
    return;
  end if;

  -- Sketches are compared first. A chunk whose estimate is three deviations below the last of the best is left out. One chunk in 32 is a
  -- sample, by the index `chunks_sample`: its best are no nearer than the best of all, so that far chunks are dropped before sorting.
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
  return query
    with query as materialized (
      select q.hypothesis::integer, q.vector, q.high, q.middle, q.low, q.scale, 3 * deviation / q.scale as slack,
        case when share is not null then array(
          select c.cluster
          from (
            select c.cluster, sum(c.sketches) over (order by c.distance, c.cluster) - c.sketches as before, sum(c.sketches) over () as total
            from (
              select c.cluster, c.sketches, distance(c.center, q.high, q.middle, q.low) as distance from sketch_clusters c
              where c.organization_id = asked.organization and c.agent_id = asked.agent) c) c
          where c.before < share * c.total) end as clusters
      from unnest(asked.vectors) with ordinality q(key, vector, high, middle, low, scale, hypothesis)
      where q.vector is not null),
    sample as materialized (
      select q.hypothesis, distance(c.sketch, q.high, q.middle, q.low) as distance
      from query q cross join served_chunks(asked.organization, asked.agent, asked.documents, asked.metadata, asked.as_of, null) c
      where share is null and get_byte(uuid_send(c.vector_id), 15) < 8
      union all
      select q.hypothesis, distance(c.sketch, q.high, q.middle, q.low)
      from query q cross join served_chunks(asked.organization, asked.agent, '{}', asked.metadata, asked.as_of, '{-1}') c
      where share is not null),
    reach as (
      select q.hypothesis, case when count(*) >= min_sample
        then (array_agg(s.distance order by s.distance))[asked.hit_limit] + min(q.slack) else 'infinity' end as distance
      from query q left join sample s using (hypothesis) group by q.hypothesis),
    estimated as materialized (
      select q.hypothesis, e.*
      from query q join reach r using (hypothesis) cross join lateral (
        select c.document_id, c.revision, c.chunk_index, c.vector_id, distance(c.sketch, q.high, q.middle, q.low) as distance
        from served_chunks(asked.organization, asked.agent, asked.documents, asked.metadata, asked.as_of, q.clusters) c
        where distance(c.sketch, q.high, q.middle, q.low) <= r.distance
        order by distance limit max_candidates) e),
    size as (
      select hypothesis, count(*) > compared_exactly or min(r.distance) < 'infinity' as is_large,
        (array_agg(e.distance order by e.distance))[asked.hit_limit] + min(q.slack) as distance
      from estimated e join query q using (hypothesis) join reach r using (hypothesis) group by hypothesis),
    candidates as (
      select hypothesis, e.document_id, e.revision, e.chunk_index, e.vector_id
      from estimated e join size s using (hypothesis) where e.distance <= s.distance or not s.is_large
      union
      select q.hypothesis, c.document_id, c.revision, c.chunk_index, c.vector_id
      from query q cross join served_chunks(asked.organization, asked.agent, array[examined], asked.metadata, asked.as_of, null) c where examined is not null),
    nearest as materialized (
      select hypothesis, n.document_id, n.revision, n.chunk_index, 1 - (v.embedding <=> q.vector) as cosine
      from candidates n join query q using (hypothesis)
      cross join lateral (
        select v.embedding from vectors v
        where v.organization_id = asked.organization and v.document_id = n.document_id and v.id = n.vector_id offset 0) v),
    compared as (
      select hypothesis, n.cosine, 0 as variance_of_error
      from nearest n join size s using (hypothesis) where not s.is_large
      union all
      select hypothesis, (distance_of_zero - s.distance) * q.scale, deviation ^ 2
      from (
        select s.hypothesis, s.distance from sample s join reach r using (hypothesis) where r.distance < 'infinity'
        union all
        select e.hypothesis, e.distance from estimated e join reach r using (hypothesis) where r.distance = 'infinity') s
      join query q using (hypothesis) join size using (hypothesis) where size.is_large),
    likeness as (
      select s.hypothesis, l.unlike, l.reach
      from (
        select hypothesis, count(*) as cosines, sum(cosine), sum(cosine * cosine) as sum_of_squares, max(cosine) as best,
          max(variance_of_error) as variance_of_error
        from compared group by hypothesis) s
      cross join likeness(s.cosines, s.sum, s.sum_of_squares, s.best, s.variance_of_error) l)
    select hypothesis, n.document_id, n.revision, n.chunk_index, n.cosine, l.unlike, l.reach
    from nearest n join likeness l using (hypothesis);
end $$;

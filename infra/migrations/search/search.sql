-- What both arms have found, in no order, each chunk with its best score over the hypotheses. In `semantic` the score is the cosine, in
-- `keyword` that of the words, in `hybrid` a weighted sum on scales that do not depend on other hits (Bruch et al. 2023), so that scores
-- can be compared between questions. Words of which the agent has few say little, and so does a likeness without any word in common.
-- Rounded, because the last digits depend on the plan. `asked_model` made the vectors, null if that is not known: in the snapshot of the
-- statement it must serve the agent, else there are none. An agent that names no model is served by `assumed_model`.
create or replace function scored_chunks(asked_model text, assumed_model text, mode text, organization uuid, agent uuid, chosen uuid[],
    wanted jsonb, as_of timestamptz, examined uuid, hit_limit integer, keys bytea[], vectors halfvec[], highs bit[], middles bit[], lows bit[], scales float8[],
    probe1 sparsevec, probe2 sparsevec, probe3 sparsevec, hypotheses integer[], groups integer[], ways integer[], slots integer[],
    weights float8[], fallbacks boolean[], required boolean[], terms integer[], keyword_weight float8)
  returns table (document_id uuid, revision integer, chunk_index integer, score float8, semantic float8, keyword float8,
    unlike float8, reach float8)
  language plpgsql stable
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off as $$
#variable_conflict use_column
declare
  -- How much of the score stays where the agent has none of the question's words.
  trust constant float8 := 0.2;
  -- How much closer to 1 the score of a chunk is that has a code of the question, no matter what else was said.
  certainty constant float8 := 0.4;
begin
  if keys is not null then
    select array_agg(coalesce(g.vector, q.embedding) order by n), array_agg(coalesce(g.high, q.high) order by n),
      array_agg(coalesce(g.middle, q.middle) order by n), array_agg(coalesce(g.low, q.low) order by n),
      array_agg(coalesce(g.scale, q.cosine_per_unit) order by n)
    into vectors, highs, middles, lows, scales
    from unnest(keys, vectors, highs, middles, lows, scales) with ordinality g(key, vector, high, middle, low, scale, n)
    left join query_vectors q on q.organization_id = organization and q.key = g.key;
  end if;
  if asked_model <> (select coalesce(a.model, assumed_model) from agents a where a.organization_id = organization and a.id = agent) then
    vectors := '{}';
  end if;
  return query
    with nearest as materialized (
      select * from nearest_chunks(organization, agent, chosen, wanted, as_of, examined, hit_limit, vectors, highs, middles, lows,
        scales)),
    words as materialized (
      select * from chunks_with_words(organization, agent, chosen, wanted, as_of, examined, probe1, probe2, probe3, hypotheses,
        groups, ways, slots, weights, fallbacks, required, terms)),
    likeness as (select distinct hypothesis, unlike, reach from nearest),
    share as (select distinct hypothesis, known from words),
    found as (
      select hypothesis, document_id, revision, chunk_index, w.score as keyword, coalesce(w.is_certain, false) as is_certain,
        coalesce(n.cosine, (
          select 1 - (v.embedding <=> vectors[hypothesis]) from chunks c, vectors v
          where c.organization_id = organization and c.agent_id = agent and c.document_id = w.document_id
            and c.revision = w.revision and c.chunk_index = w.chunk_index
            and v.organization_id = organization and v.document_id = w.document_id and v.id = c.vector_id)) as semantic
      from nearest n full join words w using (hypothesis, document_id, revision, chunk_index)),
    scored as (
      select f.*,
        case
          when mode = 'semantic' then semantic
          when semantic is null then keyword
          when hypothesis = any (hypotheses) then (trust + (1 - trust) * known)
            * (keyword_weight * known * coalesce(keyword, 0) + (1 - keyword_weight * known) * likeness)
          else likeness
        end as score
      from (
        select f.*, l.unlike, l.reach, coalesce(s.known, 0) as known,
          least(1, greatest(0, (f.semantic - l.unlike) / l.reach)) as likeness
        from found f left join likeness l using (hypothesis) left join share s using (hypothesis)) f)
    select distinct on (document_id, revision, chunk_index) document_id, revision, chunk_index,
      round((case when is_certain then certainty + (1 - certainty) * score else score end)::numeric, 9)::float8 as score, semantic,
      round((case when is_certain then certainty + (1 - certainty) * keyword else keyword end)::numeric, 9)::float8, unlike, reach
    from scored order by document_id, revision, chunk_index, score desc;
end $$;

-- A search: hits, best first, ties by document and index, as many as fit into `max_bytes` as JSON, at least one if any;
-- `revision` is the one that search serves of its document. At least one row, whose hit may be null. `as_of`: when
-- documents must be valid, now if null. `wanted_of_document`: what a document's metadata must contain. Sets the organization that row-level security compares. A vector that is given with a key is
-- stored; without one it is looked up. `model` serves the agent: `has_vector` is false where the vectors are of another.
create or replace function search(asked_model text, assumed_model text, mode text, organization uuid, agent uuid, chosen uuid[],
    wanted jsonb, as_of timestamptz, hit_limit integer, min_score float8, max_bytes bigint, keys bytea[], vectors halfvec[], highs bit[], middles bit[], lows bit[], scales float8[],
    probe1 sparsevec, probe2 sparsevec, probe3 sparsevec, hypotheses integer[], groups integer[], ways integer[], slots integer[],
    weights float8[], fallbacks boolean[], required boolean[], terms integer[], keyword_weight float8, wanted_of_document jsonb default null)
  returns table (is_agent boolean, has_vector boolean, model text, unlike float8, reach float8, semantic float8, keyword float8,
    chunk_id uuid, document_id uuid, revision integer, document_title text, chunk_index integer, content text, token_count integer,
    metadata jsonb, score float8)
  language plpgsql volatile
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off as $$
#variable_conflict use_column
declare
  is_agent boolean;
  has_vector boolean := coalesce(array_position(vectors, null) is null, false);
begin
  perform set_config('cuecard.organization_id', organization::text, true);
  is_agent := exists (select from agents a where a.organization_id = organization and a.id = agent);
  if is_agent and keys is not null then
    -- The commit does not wait for the disk: a vector that is lost is fetched again.
    perform set_config('synchronous_commit', 'off', true);
    insert into query_vectors (organization_id, key, embedding, high, middle, low, cosine_per_unit)
    select organization, g.* from unnest(keys, vectors, highs, middles, lows, scales) g(key, vector, high, middle, low, scale)
    where g.key is not null and g.vector is not null
    on conflict do nothing;
    has_vector := not exists (
      select from unnest(keys, vectors) g(key, vector)
      where g.vector is null and not exists (
        select from query_vectors q where q.organization_id = organization and q.key = g.key));
  end if;
  if wanted_of_document is not null then
    chosen := array(
      select d.id from documents d
      where d.organization_id = organization and d.agent_id = agent and d.active_revision is not null
        and d.metadata @> wanted_of_document and (chosen is null or d.id = any (chosen)));
  end if;
  return query
    with best as (
      select s.*, row_number() over ranks as position
      from (
        select * from scored_chunks(asked_model, assumed_model, mode, organization, agent, chosen, wanted, coalesce(as_of, now()), null,
          hit_limit, keys, vectors, highs, middles, lows, scales, probe1, probe2, probe3, hypotheses, groups, ways, slots, weights,
          fallbacks, required, terms, keyword_weight)
        order by score desc, document_id, chunk_index limit hit_limit) s
      window ranks as (order by s.score desc, s.document_id, s.chunk_index)),
    sized as (
      select b.*, c.id, d.title, d.active_revision, c.content, c.token_count, m.metadata,
        sum(octet_length(to_json(c.content)::text) + octet_length(to_json(m.metadata::text)::text)) over (order by b.position) as bytes
      from best b
      cross join lateral (
        select title, active_revision from documents where organization_id = organization and id = b.document_id offset 0) d
      cross join lateral (
        select id, content, token_count from chunks
        where organization_id = organization and agent_id = agent and document_id = b.document_id and revision = b.revision
          and chunk_index = b.chunk_index offset 0) c
      cross join lateral metadata_of_chunk(organization, agent, b.document_id, b.revision, b.chunk_index) m
      where min_score is null or b.score >= min_score)
    select is_agent, has_vector and coalesce(asked_model = a.model, true), a.model, s.unlike, s.reach, s.semantic, s.keyword,
      s.id, s.document_id, s.active_revision, s.title, s.chunk_index, s.content, s.token_count, s.metadata, s.score
    from (select (
        select coalesce(a.model, assumed_model) from agents a where a.organization_id = organization and a.id = agent) as model) a
      left join sized s on s.position = 1 or s.bytes <= max_bytes
    order by s.position;
end $$;

grant execute on function metadata_of_chunk, is_valid, documents_in_revision, served_chunks, served_terms, occurrences, distance, likeness,
  weighed_terms, nearest_chunks, chunks_with_words, listed_chunks_with_words
  to cuecard_search, cuecard_mcp, cuecard_platforms, cuecard_dashboard;
-- A release before may have left functions of these names with other arguments, which its code calls during a deploy.
do $$ declare each regprocedure; begin
  for each in select oid from pg_proc where proname in ('scored_chunks', 'search') and pronamespace = 'public'::regnamespace loop
    execute format('grant execute on function %s to cuecard_search, cuecard_mcp, cuecard_platforms, cuecard_dashboard', each);
  end loop;
end $$;

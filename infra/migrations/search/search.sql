-- Adds the stored vectors to a question, by their keys.
create or replace function with_stored_vectors(asked question) returns question
  language plpgsql stable as $$
begin
  asked.vectors := array(
    select row (v.key, coalesce(v.vector, q.embedding), coalesce(v.high, q.high), coalesce(v.middle, q.middle), coalesce(v.low, q.low),
      coalesce(v.scale, q.cosine_per_unit))::asked_vector
    from unnest(asked.vectors) with ordinality v(key, vector, high, middle, low, scale, hypothesis)
    left join query_vectors q on q.organization_id = asked.organization and q.key = v.key
    order by hypothesis);
  return asked;
end $$;

-- Adds the words of a call's last three turns to each of a question's hypotheses. `turns`: lists of [group, way, key, weight], the latest
-- first. Each turn weighs half as much as the next one. A word in several turns counts once, by its largest weight. Words without a free
-- slot are left out. A missing earlier word lowers no score. The loop takes a quarter of the time of one statement, whose plan would have
-- 25 nodes to start.
create or replace function with_earlier_turns(asked question, turns jsonb) returns question
  language plpgsql stable as $$
declare
  keys integer[] := coalesce(asked.keys_of_slots, '{}');
  heard integer[] := keys;
  max_slots constant integer := least(31, 12 * greatest(1, ceil(cardinality(keys) / 12.0))); -- no further probe, so that reading takes no longer
  hypotheses constant integer := greatest(1, cardinality(asked.vectors), (select max(hypothesis) from unnest(asked.terms)));
  own constant integer := cardinality(keys);
  said asked_term[] := '{}';
  earlier record;
begin
  for earlier in
    select turn, grp, array_agg(way) as ways, array_agg(key) as keys, array_agg(weight * 0.5 ^ turn) as weights, array_agg(distinct key) as fresh
    from jsonb_array_elements(turns) with ordinality t(words, turn), jsonb_array_elements(case when turn <= 3 then words end) w,
      lateral (select (w ->> 0)::integer as grp, (w ->> 1)::integer as way, (w ->> 2)::integer as key, (w ->> 3)::float8 as weight) e
    group by turn, grp order by turn, grp
  loop
    if not earlier.keys && heard then
      exit when cardinality(keys) + cardinality(earlier.fresh) > max_slots;
      keys := keys || earlier.fresh;
      for i in 1..cardinality(earlier.keys) loop
        for h in 1..hypotheses loop
          said := said || row (h, -cardinality(keys), earlier.ways[i], array_position(keys, earlier.keys[i]) - 1, earlier.weights[i], false,
            false)::asked_term;
        end loop;
      end loop;
    end if;
    heard := heard || earlier.keys;
  end loop;
  if cardinality(keys) > own then
    asked.keys_of_slots := keys;
    asked.terms := coalesce(asked.terms, '{}') || said;
    asked.keyword_weight := coalesce(asked.keyword_weight, 0.6);
    asked.probes := array(
      select ('{' || string_agg(key || ':' || digit, ',') || '}/100000000')::sparsevec
      from (
        select key, (min(n) - 1) / 12 as probe, 4 ^ ((min(n) - 1) % 12)::integer as digit
        from unnest(asked.keys_of_slots) with ordinality k(key, n) group by key) d
      group by probe order by probe);
  end if;
  return asked;
end $$;

-- Finds the chunks of both arms, in no order, each with its best score over the hypotheses. The score is the cosine in `semantic`, that of
-- the words in `keyword`, and a weighted sum in `hybrid`. Its scales do not depend on other hits (Bruch et al. 2023), so that scores of
-- different questions compare. Words say little if the agent has few of them; so does a likeness without a common word. Scores are rounded,
-- because the last digits depend on the plan. Vectors count only if their model serves the agent in the statement's snapshot. `examined`:
-- a document whose chunks are all scored, or null.
create or replace function scored_chunks(asked question, examined uuid)
  returns table (document_id uuid, revision integer, chunk_index integer, score float8, semantic float8, keyword float8,
    unlike float8, reach float8)
  language plpgsql stable
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off as $$
#variable_conflict use_column
declare
  -- The share of the score that stays if the agent has none of the question's words.
  trust constant float8 := 0.2;
  -- Moves the score of a chunk with a code of the question closer to 1 by this share, whatever else was said.
  certainty constant float8 := 0.4;
begin
  if asked.asked_model <> (
      select coalesce(a.model, asked.assumed_model) from agents a
      where a.organization_id = asked.organization and a.id = asked.agent) then
    asked.vectors := '{}';
  end if;
  asked.as_of := coalesce(asked.as_of, now());
  -- Only one arm is asked. Joining it to nothing would take as long as a search of a small agent.
  if asked.mode = 'semantic' or cardinality(asked.vectors) = 0 then
    return query
      select distinct on (document_id, revision, chunk_index) *
      from (
        select document_id, revision, chunk_index, round(cosine::numeric, 9)::float8 as score, cosine, null::float8, unlike, reach
        from nearest_chunks(asked, examined) where asked.mode = 'semantic'
        union all
        select document_id, revision, chunk_index, w.score, null, w.score, null, null
        from (
          select w.*, round((case when is_certain then certainty + (1 - certainty) * score else score end)::numeric, 9)::float8
          from chunks_with_words(asked, examined) w) w(hypothesis, document_id, revision, chunk_index, raw, is_certain, known, score)) f
      order by document_id, revision, chunk_index, score desc;
    return;
  end if;
  return query
    with nearest as materialized (select * from nearest_chunks(asked, examined)),
    words as materialized (select * from chunks_with_words(asked, examined)),
    likeness as (select distinct hypothesis, unlike, reach from nearest),
    share as (
      select hypothesis, coalesce(known, 0) as known
      from (select distinct hypothesis from unnest(asked.terms)) t
      left join (select distinct hypothesis, known from words) w using (hypothesis)),
    found as materialized (
      select hypothesis, document_id, revision, chunk_index, w.score as keyword, coalesce(w.is_certain, false) as is_certain,
        coalesce(n.cosine, (
          select 1 - (v.embedding <=> asked.vectors[hypothesis].vector) from chunks c, vectors v
          where c.organization_id = asked.organization and c.agent_id = asked.agent and c.document_id = w.document_id
            and c.revision = w.revision and c.chunk_index = w.chunk_index
            and v.organization_id = asked.organization and v.document_id = w.document_id and v.id = c.vector_id and asked.vectors <> '{}')) as semantic
      from nearest n full join words w using (hypothesis, document_id, revision, chunk_index)),
    scored as (
      select f.*,
        case
          when asked.mode = 'semantic' then semantic
          when semantic is null then keyword
          when known is not null then (trust + (1 - trust) * known)
            * (asked.keyword_weight * known * coalesce(keyword, 0) + (1 - asked.keyword_weight * known) * likeness)
          else likeness
        end as score
      from (
        select f.*, l.unlike, l.reach, s.known,
          least(1, greatest(0, (f.semantic - l.unlike) / l.reach)) as likeness
        from found f left join likeness l using (hypothesis) left join share s using (hypothesis)) f)
    select distinct on (document_id, revision, chunk_index) document_id, revision, chunk_index,
      round((case when is_certain then certainty + (1 - certainty) * score else score end)::numeric, 9)::float8 as score, semantic,
      round((case when is_certain then certainty + (1 - certainty) * keyword else keyword end)::numeric, 9)::float8, unlike, reach
    from scored order by document_id, revision, chunk_index, score desc;
end $$;

-- Returns a search's hits, best first, ties by document and index: as many as fit into `max_bytes` as JSON, and at least one if any.
-- `revision` is the served one of a hit's document. Returns at least one row, whose hit may be null. Stores a vector that comes with a key,
-- and looks up a missing one. `time_zone` and `holidays` are the agent's, null if nobody has chosen them. `model` serves the agent; `has_vector` is false if the vectors are another model's.
drop function if exists answers(question);
create function answers(asked question)
  returns table (is_agent boolean, agent_name text, time_zone text, holidays text, has_vector boolean, model text, unlike float8, reach float8, semantic float8, keyword float8,
    chunk_id uuid, document_id uuid, revision integer, document_title text, chunk_index integer, content text, token_count integer,
    metadata jsonb, url text, page jsonb, valid_from timestamptz, valid_until timestamptz, score float8)
  language plpgsql volatile
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off as $$
#variable_conflict use_column
declare
  is_agent constant boolean := exists (select from agents a where a.organization_id = asked.organization and a.id = asked.agent);
  has_vector boolean;
begin
  if is_agent and exists (select from unnest(asked.vectors) where key is not null) then
    -- The commit does not wait for the disk, because a lost vector is fetched again.
    perform set_config('synchronous_commit', 'off', true);
    insert into query_vectors (organization_id, key, embedding, high, middle, low, cosine_per_unit)
    select asked.organization, v.* from unnest(asked.vectors) v where v.key is not null and v.vector is not null
    on conflict do nothing;
    asked := with_stored_vectors(asked);
  end if;
  if asked.mode <> 'semantic' and asked.earlier is not null then
    asked := with_earlier_turns(asked, asked.earlier);
  end if;
  has_vector := not exists (select from unnest(asked.vectors) where vector is null);
  if asked.document_metadata is not null then
    asked.documents := array(
      select d.id from documents d
      where d.organization_id = asked.organization and d.agent_id = asked.agent and d.active_revision is not null
        and d.metadata @> asked.document_metadata and (asked.documents is null or d.id = any (asked.documents)));
  end if;
  return query
    with best as (
      select s.*, row_number() over ranks as position
      from (
        select * from scored_chunks(asked, null) order by score desc, document_id, chunk_index limit asked.hit_limit) s
      window ranks as (order by s.score desc, s.document_id, s.chunk_index)),
    sized as (
      select *, sum(octet_length(to_json(content)::text) + octet_length(to_json(metadata::text)::text)) over (order by position) as bytes
      from (
        select b.*, c.id, d.title, d.active_revision, d.valid_from, d.valid_until, c.content, c.token_count,
          case when d.external_id ~ '^https?://' then d.external_id end as url, d.chunk_pages -> b.chunk_index as page,
          with_offsets(c.metadata, b.chunk_index, b.revision, d.active_revision, d.chunk_offsets) as metadata
        from best b
        cross join lateral (
          select title, active_revision, external_id, chunk_pages, chunk_offsets, valid_from, valid_until from documents
          where organization_id = asked.organization and id = b.document_id offset 0) d
        cross join lateral (
          select id, content, token_count, metadata from chunks
          where organization_id = asked.organization and agent_id = asked.agent and document_id = b.document_id and revision = b.revision
            and chunk_index = b.chunk_index offset 0) c offset 0) b)
    select is_agent, a.name, a.time_zone, a.holidays, has_vector and coalesce(asked.asked_model = a.model, true), a.model, s.unlike, s.reach, s.semantic, s.keyword,
      s.id, s.document_id, s.active_revision, s.title, s.chunk_index, s.content, s.token_count, s.metadata,
      s.url, s.page, s.valid_from, s.valid_until, s.score
    from (select) one
      left join (
        select a.name, a.time_zone, a.holidays, coalesce(a.model, asked.assumed_model) as model from agents a
        where a.organization_id = asked.organization and a.id = asked.agent) a on true
      left join sized s on s.position = 1 or s.bytes <= asked.max_bytes
    order by s.position;
end $$;

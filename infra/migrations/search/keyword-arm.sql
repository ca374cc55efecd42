-- A question by words is groups, each in one of several ways (spelling, reading, sound) of one or more terms; the arrays have an element for
-- each term of a way. A fallback counts only if no chunk has the group in another way. Each word weighs as much as it is rare among the
-- served chunks (idf of BM25, Robertson & Zaragoza 2009); one that no chunk has, and that matters, 0.6 of one in a single chunk.
-- `having_it`: in how many chunks each term is, by slot.
create or replace function weighed_terms(all_chunks float8, having_it numeric[], hypotheses integer[], groups integer[], ways integer[],
    slots integer[], weights float8[], fallbacks boolean[], required boolean[])
  returns table (hypothesis integer, grp integer, way integer, slot integer, worth float8, is_code boolean, is_usable boolean,
    group_is_known boolean, share_of_group float8)
  language sql stable
begin atomic
  select hypothesis, grp, way, slot, worth, weight >= 3, way_is_known and not (is_fallback and is_spelt),
    coalesce(spelt, known) is not null,
    coalesce(spelt, known, case when is_required then 0.6 * best else 0 end) / count(*) over groups
  from (
    select *, max(way_worth) filter (where way_is_known and not is_fallback) over groups as spelt,
      bool_or(way_is_known and not is_fallback) over groups as is_spelt,
      max(way_worth) filter (where way_is_known) over groups as known, max(way_worth) over groups as best
    from (
      select *, sum(worth) over ways as way_worth, bool_and(having_it[slot + 1] > 0) over ways as way_is_known
      from (
        select e.*, weight * ln(1 + (all_chunks - having_it[slot + 1]::float8 + 0.5) / (having_it[slot + 1]::float8 + 0.5)) as worth
        from unnest(hypotheses, groups, ways, slots, weights, fallbacks, required)
          as e(hypothesis, grp, way, slot, weight, is_fallback, is_required)) e
      window ways as (partition by hypothesis, grp, way)) e
    window groups as (partition by hypothesis, grp)) e
  window groups as (partition by hypothesis, grp);
end;

-- Chunks that have words of a question, or of several hypotheses of one, with a score of 0 to 1 and the share of the question's words that
-- the agent has (`known`). Terms are read without an index, which would slow ingest. Chunks with the same `common`, two bits a term, are
-- scored once.
create or replace function chunks_with_words(organization uuid, agent uuid, chosen uuid[], wanted jsonb, as_of timestamptz, examined uuid,
    probe1 sparsevec, probe2 sparsevec, probe3 sparsevec, hypotheses integer[], groups integer[], ways integer[], slots integer[],
    weights float8[], fallbacks boolean[], required boolean[], terms integer[])
  returns table (hypothesis integer, document_id uuid, revision integer, chunk_index integer, score float8, is_certain boolean,
    known float8)
  language plpgsql stable
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set enable_nestloop = off set jit = off as $$
#variable_conflict use_column
declare
  -- As many as fusion can move to the top: a chunk further down has too little in common with the question.
  max_found constant integer := case when examined is null then 100 else 1000 end;
  -- What a chunk gains by a term that it has once, twice, more often: a term's frequency saturates soon.
  gains constant float8[] := '{0.85, 0.96, 1}';
  length_weight constant float8 := 0.2;
begin
  if probe1 is null then
    return;
  end if;
  if chosen is null and wanted is null and examined is null
      and exists (select from listed_agents l where l.organization_id = organization and l.agent_id = agent) then
    return query select * from listed_chunks_with_words(organization, agent, as_of, probe1, probe2, probe3, hypotheses, groups, ways, slots,
      weights, fallbacks, required, terms);
    return;
  end if;
  return query
    with titles as materialized (
      select d.id as titled, occurrences(d.title_terms, probe1, probe2, probe3) as common,
        case when d.active_revision is null or not is_valid(d.valid_from, d.valid_until, as_of) then 0 else d.chunk_count end as chunks
      from documents d where d.organization_id = organization and d.agent_id = agent),
    matches as materialized (
      select * from (
        select t.document_id, t.revision, t.chunk_index, t.length,
          occurrences(t.terms, probe1, probe2, probe3) | coalesce(titles.common, 0) as common
        from served_terms(organization, agent, chosen, wanted, as_of) t
        left join titles on titled = t.document_id and titles.common > 0 offset 0) t
      where common > 0),
    counted as materialized (
      select common, count(*) as chunks, sum(length) as words from matches group by common),
    totals as materialized (
      select greatest((select sum(chunks) from titles), sum(chunks))::float8 as all_chunks, array(
          select (select coalesce(sum(chunks), 0) from counted where (common >> (2 * slot)) & 3 > 0)
          from generate_series(0, (select max(slot) from unnest(slots) slot)) slot order by slot) as having_it
      from counted),
    entries as materialized (
      select e.* from totals
      cross join weighed_terms(all_chunks, having_it, hypotheses, groups, ways, slots, weights, fallbacks, required) e),
    question as materialized (
      select hypothesis, sum(share_of_group) as worth,
        coalesce(sum(share_of_group) filter (where group_is_known) / nullif(sum(share_of_group), 0), 0) as known,
        bit_or(3::bigint << (2 * slot)) as terms
      from entries group by hypothesis),
    lengths as (
      select hypothesis, (sum(words) / sum(chunks))::float8 + 1 as usual_length
      from question join counted on common & terms <> 0 group by hypothesis),
    valued as materialized (
      select hypothesis, common, sum(worth) as worth, bool_or(is_certain) as is_certain
      from (
        select hypothesis, common, grp, max(worth) as worth, bool_or(is_certain) as is_certain
        from (
          select hypothesis, common, grp, way, sum(worth * gains[occurring]) as worth,
            bool_or(is_code) and bool_and(occurring > 0) as is_certain
          from (
            select e.*, common, ((common >> (2 * slot)) & 3)::integer as occurring from counted cross join entries e where is_usable) e
          group by hypothesis, common, grp, way) w
        group by hypothesis, common, grp) g
      group by hypothesis, common having sum(worth) > 0)
    select q.hypothesis, f.document_id, f.revision, f.chunk_index, f.score, f.is_certain, q.known
    from question q join lengths using (hypothesis) cross join lateral (
      select m.document_id, m.revision, m.chunk_index, v.is_certain, v.worth / q.worth
        / (1 + length_weight * m.length / (m.length + usual_length)) as score
      from matches m join valued v using (common)
      where v.hypothesis = q.hypothesis
      order by score desc, m.document_id, m.chunk_index limit max_found) f
    union
    select q.hypothesis, m.document_id, m.revision, m.chunk_index, v.worth / q.worth
      / (1 + length_weight * m.length / (m.length + usual_length)), v.is_certain, q.known
    from matches m join valued v using (common) join question q using (hypothesis) join lengths using (hypothesis)
    where examined is not null and m.document_id = examined;
end $$;

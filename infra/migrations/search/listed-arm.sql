-- The same as chunks_with_words, for an agent with lists: it reads the terms of chunks that are not listed, of documents whose title has
-- a term of the question, and of chunks that may be among the best.
create or replace function listed_chunks_with_words(organization uuid, agent uuid, as_of timestamptz,
    probe1 sparsevec, probe2 sparsevec, probe3 sparsevec, hypotheses integer[], groups integer[], ways integer[], slots integer[],
    weights float8[], fallbacks boolean[], required boolean[], terms integer[])
  returns table (hypothesis integer, document_id uuid, revision integer, chunk_index integer, score float8, is_certain boolean,
    known float8)
  language plpgsql stable
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set enable_nestloop = off set jit = off as $$
#variable_conflict use_column
declare
  max_found constant integer := 100;
  -- What a chunk gains by a term that it has once, twice, more often: a term's frequency saturates soon.
  gains constant float8[] := '{0.85, 0.96, 1}';
  length_weight constant float8 := 0.2;
  blocks integer[];
  presents bit varying[];
  repeats bit varying[];
  digits bit varying[];
begin
  select * into blocks, presents, repeats, digits from lists_of_terms(organization, agent, terms, array(
    select d.id from documents d
    where d.organization_id = organization and d.agent_id = agent
      and (occurrences(d.title_terms, probe1, probe2, probe3) > 0 or not is_valid(d.valid_from, d.valid_until, as_of))));
  return query
    with titles as materialized (
      select d.id as titled, occurrences(d.title_terms, probe1, probe2, probe3) as common, r.active_revision, d.listed_revision,
        case when r.active_revision is null then 0 else d.chunk_count end as chunks
      from documents d
      cross join lateral (
        select case when is_valid(d.valid_from, d.valid_until, as_of) then d.active_revision end as active_revision) r
      where d.organization_id = organization and d.agent_id = agent),
    scanned as materialized (
      select * from (
        select t.document_id, t.revision, t.chunk_index, t.length,
          occurrences(t.terms, probe1, probe2, probe3) | coalesce(titles.common, 0) as common
        from (
          select t.* from titles d cross join lateral (
            select t.document_id, t.revision, t.chunk_index, t.length, t.terms from chunk_terms t
            where t.organization_id = organization and t.agent_id = agent and t.document_id = d.titled
              and t.revision > case when d.common > 0 then 0 else coalesce(d.listed_revision, 0) end
              and t.revision <= d.active_revision and (d.common > 0 or t.ordinal is null) offset 0) t
          where d.common > 0 or d.listed_revision is distinct from d.active_revision) t
        left join titles on titled = t.document_id and titles.common > 0 offset 0) t
      where common > 0),
    counted as materialized (
      select common, count(*) as chunks, sum(length) as words from scanned group by common),
    totals as materialized (
      select greatest((select sum(chunks) from titles), coalesce(sum(chunks), 0)
          + coalesce((select bit_count(bit_or(present)) from unnest(presents) present), 0))::float8 as all_chunks, array(
          select (select coalesce(sum(chunks), 0) from counted where (common >> (2 * s.slot)) & 3 > 0)
            + coalesce(bit_count(presents[s.slot + 1]), 0)
          from generate_series(0, (select max(slot) from unnest(slots) slot)) s(slot) order by s.slot) as having_it
      from counted),
    entries as materialized (
      select e.* from totals
      cross join weighed_terms(all_chunks, having_it, hypotheses, groups, ways, slots, weights, fallbacks, required) e),
    question as materialized (
      select hypothesis, sum(share_of_group) as worth,
        coalesce(sum(share_of_group) filter (where group_is_known) / nullif(sum(share_of_group), 0), 0) as known,
        bit_or(3::bigint << (2 * slot)) as terms
      from entries group by hypothesis),
    lengths as materialized (
      select hypothesis, (sum(words) / sum(chunks))::float8 + 1 as usual_length
      from (
        select hypothesis, chunks, words from question join counted on common & terms <> 0
        union all
        select hypothesis, bit_count(present), (
          select sum(bit_count(present & digit) << (n - 1)::integer) from unnest(digits) with ordinality d(digit, n))
        from (
          select hypothesis, bit_or(present) as present
          from question join unnest(presents) with ordinality p(present, n) on (terms >> (2 * (n::integer - 1))) & 3 > 0
          group by hypothesis) h) l
      group by hypothesis having sum(chunks) > 0),
    worths as (
      select hypothesis, slot, sum(worth) as high, coalesce(sum(worth) filter (where way = best_way), 0) as low
      from (
        select *, first_value(way) over (partition by hypothesis, grp order by way_worth desc, way) as best_way
        from (
          select *, sum(worth) over (partition by hypothesis, grp, way) as way_worth from entries where is_usable) e) e
      group by hypothesis, slot),
    listed as materialized (
      select bit_or(c.bits) as bits
      from (
        select hypothesis, candidates(array_agg(presents[slot + 1]), array_agg(repeats[slot + 1]), array_agg(low), array_agg(high),
          digits, min(usual_length), gains, length_weight, max_found) as bits
        from worths join lengths using (hypothesis) where high > 0 and bit_count(presents[slot + 1]) > 0 group by hypothesis) c),
    matches as materialized (
      select document_id, revision, chunk_index, length, common from scanned
      union all
      select t.* from (
        -- Fenced: an expression pulled up into the look-up would be a filter under row-level security, which reads all entries of the agent.
        select blocks[p / 16384 + 1] * 16384 + p % 16384 as ordinal from listed, positions(bits) p offset 0) o
      cross join lateral (
        select t.document_id, t.revision, t.chunk_index, t.length, occurrences(t.terms, probe1, probe2, probe3) as common
        from chunk_terms t
        where t.organization_id = organization and t.agent_id = agent and t.ordinal = o.ordinal offset 0) t),
    commons as materialized (select distinct common from matches),
    valued as materialized (
      select hypothesis, common, sum(worth) as worth, bool_or(is_certain) as is_certain
      from (
        select hypothesis, common, grp, max(worth) as worth, bool_or(is_certain) as is_certain
        from (
          select hypothesis, common, grp, way, sum(worth * gains[occurring]) as worth,
            bool_or(is_code) and bool_and(occurring > 0) as is_certain
          from (
            select e.*, common, ((common >> (2 * slot)) & 3)::integer as occurring from commons cross join entries e where is_usable) e
          group by hypothesis, common, grp, way) w
        group by hypothesis, common, grp) g
      group by hypothesis, common having sum(worth) > 0)
    select q.hypothesis, f.document_id, f.revision, f.chunk_index, f.score, f.is_certain, q.known
    from question q join lengths using (hypothesis) cross join lateral (
      select m.document_id, m.revision, m.chunk_index, v.is_certain, v.worth / q.worth
        / (1 + length_weight * m.length / (m.length + usual_length)) as score
      from matches m join valued v using (common)
      where v.hypothesis = q.hypothesis
      order by score desc, m.document_id, m.chunk_index limit max_found) f;
end $$;

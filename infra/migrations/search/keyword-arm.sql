-- A question's words are groups. Each group has one or more ways (spelling, reading, sound), and each way has one or more terms. A fallback
-- counts only if no chunk has the group in another way. A rarer word weighs more (idf of BM25, Robertson & Zaragoza 2009). A required word
-- that no chunk has weighs 0.6 of a word in one chunk. `having_it`: the number of chunks with each term, by slot.
create or replace function weighed_terms(all_chunks float8, having_it numeric[], terms asked_term[])
  returns setof weighed_term
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
        from unnest(terms) e) e
      window ways as (partition by hypothesis, grp, way)) e
    window groups as (partition by hypothesis, grp)) e
  window groups as (partition by hypothesis, grp);
end;

-- Finds chunks with words of a question, or of its hypotheses, with a score from 0 to 1. `known`: the share of the question's words that the
-- agent has. Reads terms without an index, which would slow ingest. If the agent has lists, it reads only chunks that may be among the best,
-- and documents whose lists are outdated or whose title has a term of the question. Scores chunks with the same `common`, two bits a term,
-- only once.
create or replace function chunks_with_words(asked question, examined uuid)
  returns table (hypothesis integer, document_id uuid, revision integer, chunk_index integer, score float8, is_certain boolean,
    known float8)
  language plpgsql stable set enable_nestloop = off as $$
#variable_conflict use_column
declare
  -- Fusion can move at most this many to the top. A chunk further down has too little in common with the question.
  max_found constant integer := case when examined is null then 100 else 1000 end;
  -- A chunk's gain from a term that it has once, twice or more often. Frequency saturates soon.
  gains constant float8[] := '{0.85, 0.96, 1}';
  length_weight constant float8 := 0.2;
  is_listed boolean;
  all_chunks float8;
  titled uuid[]; -- documents whose title has terms of the question
  of_titles bigint[]; -- these terms
  unlisted uuid[];
  blocks integer[];
  presents bit varying[];
  repeats bit varying[];
  digits bit varying[];
begin
  if asked.probes is null then
    return;
  end if;
  is_listed := asked.documents is null and asked.metadata is null and examined is null
    and exists (select from listed_agents l where l.organization_id = asked.organization and l.agent_id = asked.agent);
  select coalesce(sum(chunk_count) filter (where is_served), 0), array_agg(id) filter (where common > 0),
    array_agg(common) filter (where common > 0),
    coalesce(array_agg(id) filter (where common > 0 or not is_served or listed_revision is distinct from active_revision), '{}')
  into all_chunks, titled, of_titles, unlisted
  from (
    select d.id, d.chunk_count, d.active_revision, d.listed_revision, occurrences(d.title_terms, asked.probes) as common,
      d.active_revision is not null and is_valid(d.valid_from, d.valid_until, asked.as_of) as is_served
    from documents d where d.organization_id = asked.organization and d.agent_id = asked.agent offset 0) d;
  if is_listed then
    asked.documents := unlisted;
    select * into blocks, presents, repeats, digits from lists_of_terms(asked.organization, asked.agent, asked.keys_of_slots, unlisted);
  end if;
  return query
    with scanned as materialized (
      select * from (
        select t.document_id, t.revision, t.chunk_index, t.length, occurrences(t.terms, asked.probes) | coalesce(d.common, 0) as common
        from served_terms(asked.organization, asked.agent, asked.documents, asked.metadata, asked.as_of) t
        left join unnest(titled, of_titles) d(document_id, common) using (document_id) offset 0) t
      where common > 0),
    counted as materialized (
      select common, count(*) as chunks, sum(length) as words from scanned group by common),
    totals as materialized (
      select greatest(all_chunks, coalesce(sum(chunks), 0)
          + coalesce((select bit_count(bit_or(present)) from unnest(presents) present), 0))::float8 as all_chunks, array(
          select (select coalesce(sum(chunks), 0) from counted where (common >> (2 * slot)) & 3 > 0) + coalesce(bit_count(presents[slot + 1]), 0)
          from generate_series(0, cardinality(asked.keys_of_slots) - 1) slot order by slot) as having_it
      from counted),
    terms as materialized (
      select e.* from totals cross join weighed_terms(all_chunks, having_it, asked.terms) e),
    wanted as materialized (
      select hypothesis, sum(share_of_group) as worth,
        coalesce(sum(share_of_group) filter (where group_is_known) / nullif(sum(share_of_group), 0), 0) as known,
        bit_or(3::bigint << (2 * slot)) as slots
      from terms group by hypothesis),
    lengths as materialized (
      select hypothesis, (sum(words) / sum(chunks))::float8 + 1 as usual_length
      from (
        select hypothesis, chunks, words from wanted join counted on common & slots <> 0
        union all
        select hypothesis, bit_count(present), (
          select sum(bit_count(present & digit) << (n - 1)::integer) from unnest(digits) with ordinality d(digit, n))
        from (
          select hypothesis, bit_or(present) as present
          from wanted join unnest(presents) with ordinality p(present, n) on (slots >> (2 * (n::integer - 1))) & 3 > 0
          group by hypothesis) h) l
      group by hypothesis having sum(chunks) > 0),
    listed as materialized (
      select t.* from (
        -- Fenced: pulled up into the look-up, the expression would be a filter under row-level security and read all entries of the agent.
        select blocks[p / 16384 + 1] * 16384 + p % 16384 as ordinal
        from (
          select bit_or(candidates(presents, repeats, digits, array(
            select row (t.*)::weighed_term from terms t where t.hypothesis = l.hypothesis), usual_length, gains, length_weight, max_found)) as bits
          from lengths l where is_listed) c, positions(bits) p offset 0) o
      cross join lateral (
        select t.document_id, t.revision, t.chunk_index, t.length, occurrences(t.terms, asked.probes) as common
        from chunk_terms t
        where t.organization_id = asked.organization and t.agent_id = asked.agent and t.ordinal = o.ordinal offset 0) t),
    valued as materialized (
      select v.hypothesis, v.common, v.worth / w.worth as share, v.is_certain, w.known, l.usual_length
      from (
        select hypothesis, common, sum(worth) as worth, bool_or(is_certain) as is_certain
        from (
          select hypothesis, common, grp, max(worth) as worth, bool_or(is_certain) as is_certain
          from (
            select hypothesis, common, grp, way, sum(worth * gains[(common >> (2 * slot)) & 3]) as worth,
              bool_or(is_code) and count(*) = terms_of_way as is_certain
            from (select common from counted union select common from listed) c
            join (
              select *, count(*) over (partition by hypothesis, grp, way) as terms_of_way from terms where is_usable) t
              on (common >> (2 * slot)) & 3 > 0
            group by hypothesis, common, grp, way, terms_of_way) w
          group by hypothesis, common, grp) g
        group by hypothesis, common having sum(worth) > 0) v
      join wanted w using (hypothesis) join lengths l using (hypothesis)),
    scored as not materialized (
      select v.hypothesis, m.document_id, m.revision, m.chunk_index,
        v.share / (1 + length_weight * m.length / (m.length + v.usual_length)) as score, v.is_certain, v.known
      from (select * from scanned union all select * from listed) m join valued v using (common))
    select f.* from wanted w cross join lateral (
      select * from scored s where s.hypothesis = w.hypothesis order by score desc, document_id, chunk_index limit max_found) f
    union
    select * from scored where examined is not null and document_id = examined;
end $$;

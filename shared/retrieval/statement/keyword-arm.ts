import { sql } from 'kysely'
import type { Parameters } from '../../database/compiled-once.ts'
import { codeWeight, type KeywordQuery, maxSlots, slotsPerProbe } from '../keyword/keyword-query.ts'
import { type FilterParameters, isSearched } from './searched-chunks.ts'

/** As many as fusion can move to the top: a chunk further down has too little in common with the question. */
const maxFound = 100
/** As many as are compared by meaning when a document is examined. */
const maxExamined = 1000
const maxValued = 1000

/** What a chunk gains by a term that it has never, once, twice, more often: a term's frequency saturates soon. */
const gains = [0, 0.85, 0.96, 1]
const lengthWeight = 0.2
/** How much closer to 1 the score of a chunk is that has a code of the question, no matter what else was said. */
export const certainty = 0.4
/** The weight of a word that no chunk has, as a share of that of a word in a single chunk. */
const unknownWeight = 0.6

export type KeywordParameters = ReturnType<typeof keywordParameters>

export function keywordParameters(question: KeywordQuery | undefined) {
  const { probes: [probe1, probe2, probe3] = [], groups, ways, slots, weights, fallbacks, required } = question ?? {}
  const keywordWeight = question?.weight
  return { probe1, probe2, probe3, groups, ways, slots, weights, fallbacks, required, keywordWeight }
}

/**
 * The common table expressions `keyword`, chunks that have words of the question with a `score` of 0 to 1, and `question`: the share of
 * its words that the agent has. Each word weighs as much as it is rare among the served chunks (idf of BM25, Robertson & Zaragoza 2009).
 * Terms are read without an index, which would slow ingest. `common` has two bits a term; each different one is scored once.
 */
export function keywordArm(p: Parameters<FilterParameters & KeywordParameters> & { isLarge: boolean }) {
  const slots = Array.from({ length: slotCount(p) }, (_, slot) => slot)
  const list = (itemOf: (slot: number) => ReturnType<typeof sql>) => sql.join(slots.map(itemOf))
  const upperBound = sql.join(
    slots.map((slot) => sql`worths[${sql.lit(slot + 1)}] * gains[${occurrences(slot)} + 1]`),
    sql` + `,
  )
  const promising = sql`
  select common from (
    select common, sum(chunks) over (order by sum desc, common) - chunks as chunks_ahead from (
      select common, chunks, ${upperBound} as sum from counted cross join question) s where sum > 0) s
  where chunks_ahead < ${sql.lit(maxValued)}`
  const found = sql`
  select m.document_id, m.revision, m.chunk_index,
    score / (1 + ${sql.lit(lengthWeight)}::float8 * m.length / (m.length + (select usual from totals))) as score, is_certain
  from matches m join valued using (common)`
  const best = (count: number) => sql`${found} order by 4 desc, 1, 3 limit ${sql.lit(count)}`
  return sql`titles as materialized (
  select id as titled, ${commonWith(sql`title_terms`, p)} as common,
    case when active_revision is null then 0 else chunk_count end as chunks
  from documents where organization_id = ${p.organizationId} and agent_id = ${p.agentId}),
matches as materialized (
  select * from (
    select t.document_id, t.revision, t.chunk_index, t.length,
      ${commonWith(sql`t.terms`, p)} | coalesce(titles.common, 0) as common
    from chunk_terms t left join titles on titled = t.document_id and titles.common > 0
    where ${isSearched(p, 't')} offset 0) t
  where common > 0),
counted as materialized (
  select common, count(*) as chunks, sum(length) as words from matches group by common),
totals as materialized (
  select greatest((select sum(chunks) from titles), sum(chunks))::float8 as all_chunks,
    (sum(words) / sum(chunks))::float8 + 1 as usual,
    array[${list((slot) => sql`coalesce(sum(chunks) filter (where ${occurrences(slot)} > 0), 0)`)}]::float8[] as having_it
  from counted),
entries as materialized (
  select grp, way, slot, worth, is_code, way_is_known and not (is_fallback and is_spelt) as is_usable,
    coalesce(spelt, known) is not null as grp_is_known,
    coalesce(spelt, known, case when (${p.required}::bool[])[grp + 1] then ${sql.lit(unknownWeight)} * best else 0 end)
      / count(*) over grp as share_of_grp
  from (
    select *, max(way_worth) filter (where way_is_known and not is_fallback) over grp as spelt,
      bool_or(way_is_known and not is_fallback) over grp as is_spelt,
      max(way_worth) filter (where way_is_known) over grp as known, max(way_worth) over grp as best
    from (
      select *, sum(worth) over way as way_worth, bool_and(is_known) over way as way_is_known from (
        select grp, way, slot, is_fallback, weight >= ${sql.lit(codeWeight)} as is_code, having_it[slot + 1] > 0 as is_known,
          weight * ln(1 + (all_chunks - having_it[slot + 1] + 0.5) / (having_it[slot + 1] + 0.5)) as worth
        from unnest(${p.groups}::int[], ${p.ways}::int[], ${p.slots}::int[], ${p.weights}::float8[], ${p.fallbacks}::bool[])
          as e(grp, way, slot, weight, is_fallback) cross join totals) e
      window way as (partition by grp, way)) w
    window grp as (partition by grp)) g
  window grp as (partition by grp)),
question as materialized (
  select coalesce(sum(share_of_grp) filter (where grp_is_known) / nullif(sum(share_of_grp), 0), 0) as known,
    sum(share_of_grp) as worth, array[${sql.join(gains.map((gain) => sql.lit(gain)))}]::float8[] as gains,
    array[${list((slot) => sql`coalesce(sum(worth) filter (where is_usable and slot = ${sql.lit(slot)}), 0)`)}] as worths
  from entries),
promising as (${p.isLarge && !p.examined ? promising : sql`select common from counted`}),
valued as materialized (
  select common, sum(worth) / (select worth from question) as score, bool_or(is_certain) as is_certain from (
    select common, grp, max(worth) as worth, bool_or(is_certain) as is_certain from (
      select common, grp, way, bool_or(is_code) and bool_and(${occurrences('slot')} > 0) as is_certain,
        sum(entries.worth * gains[${occurrences('slot')} + 1]) as worth
      from promising cross join entries cross join question where is_usable
      group by common, grp, way) w
    group by common, grp) g
  group by common having sum(worth) > 0),
keyword as materialized (${
    p.examined ? sql`(${best(maxExamined)}) union (${found} where m.document_id = ${p.examined})` : best(maxFound)
  })`
}

/** How often each term of the question occurs among the terms, two bits a term. */
function commonWith(terms: ReturnType<typeof sql>, { probe1, probe2, probe3 }: Parameters<KeywordParameters>) {
  const parts = [probe1, probe2, probe3].flatMap((probe, i) =>
    probe ? [sql`((-(${terms} <#> ${probe}::sparsevec))::bigint << ${sql.lit(slotsPerProbe * 2 * i)})`] : [],
  )
  return sql`(${sql.join(parts, sql` + `)})`
}

function slotCount({ probe2, probe3 }: Parameters<KeywordParameters>): number {
  if (probe3) return maxSlots
  return probe2 ? 2 * slotsPerProbe : slotsPerProbe
}

/** @param slot its number, or the column that has it */
function occurrences(slot: number | 'slot') {
  return sql`((common >> ${slot === 'slot' ? sql`(2 * slot)` : sql.lit(2 * slot)}) & 3)`
}

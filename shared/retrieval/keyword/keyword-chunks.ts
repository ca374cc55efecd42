import { type Expression, type QueryCreator, sql } from 'kysely'
import { columnsOf } from '../../database/columns.ts'
import type { Parameters } from '../../database/compiled-once.ts'
import { isSearched, type Searched, type WithUnserved } from '../searched.ts'
import { codeWeight, type KeywordQuery, maxSlots, slotsPerProbe } from './keyword-query.ts'

/** As many as a fusion may move to the top: a chunk further down has too little in common with the question. */
const maxFound = 100
/** As many as are compared by meaning whatever their sketches say. */
const maxExamined = 1000
/** Chunks whose score is worked out to the end. */
const maxValued = 1000

/** What a chunk gets for a term that it has never, once, twice, more often: a term's frequency saturates soon. */
const gains = [0, 0.85, 0.96, 1]
/** What a chunk loses for its length, at most. */
const lengthWeight = 0.2
/** How much closer to 1 a score is of a chunk with a code of the question, whatever else was said. */
export const certainty = 0.4
/** Of a word that no chunk has, as a share of one that a single chunk has. */
const unknownWeight = 0.6

const t = columnsOf('chunk_terms', 't')
const d = columnsOf('documents', 'd')

/** Values of the statement's parameters. */
export type Sought = ReturnType<typeof soughtBy>

export function soughtBy(question: KeywordQuery | undefined) {
  const { probes: [probe1, probe2, probe3] = [], groups, ways, slots, weights, fallbacks, required } = question ?? {}
  return { probe1, probe2, probe3, groups, ways, slots, weights, fallbacks, required }
}

interface KeyOfChunk {
  document_id: string
  revision: number
  chunk_index: number
}

/**
 * Adds the common table expressions `keyword`, the agent's served chunks that have words of the question, best first, with a
 * `score` of 0 to 1, and `question`, of one row: which share of it the agent has words for at all.
 *
 * A score is the share of the question's words that the chunk, its headings and its document's title have, where each weighs as
 * much as it is rare among the agent's served chunks (the idf of BM25, Robertson & Zaragoza 2009).
 *
 * The agent's terms are read once, without an index of terms: to keep one up to date would cost an ingest more than all else. What
 * a chunk has in common with the question is one number, and a score is worked out for each different number, of which there are
 * few.
 */
export function withKeyword(
  db: QueryCreator<WithUnserved>,
  sought: Parameters<Searched & Sought> & { isLarge: boolean },
) {
  const { groups, ways, slots, weights, fallbacks, required, examined } = sought
  const key = [t.document_id, t.revision, t.chunk_index, t.length]
  const digits = Array.from({ length: slotsOf(sought) }, (_, slot) => digitOf(slot))
  // By what they would be worth if every way counted: exact where no group has several.
  const sums = digits.map((digit, slot) => sql`worths[${sql.lit(slot + 1)}] * gains[${digit} + 1]`)
  const promising = sql<{ common: string }>`(
    select common from (
      select common, sum(chunks) over (order by sum desc, common) - chunks as chunks_ahead from (
        select common, chunks, ${sql.join(sums, sql` + `)} as sum from counted cross join question) s where sum > 0) s
    where chunks_ahead < ${sql.lit(maxValued)})`
  const found = sql`
    select ${sql.join(['document_id', 'revision', 'chunk_index'].map((column) => sql.ref(`m.${column}`)))},
      score / (1 + ${sql.lit(lengthWeight)}::float8 * ${sql.ref('m.length')}
        / (${sql.ref('m.length')} + (select usual from totals))) as score, is_certain
    from matches m join valued using (common)`
  const best = (count: number) => sql`${found} order by 4 desc, 1, 3 limit ${sql.lit(count)}`
  return db
    .with(
      (cte) => cte('titles').materialized(),
      () => sql<{
        titled: string
        common: string | null
        chunks: number
      }>`(select ${d.id} as titled, ${commonWith(d.title_terms, sought)} as common,
          case when ${d.active_revision} is null then 0 else ${d.chunk_count} end as chunks
        from documents d where ${d.organization_id} = ${sought.organizationId} and ${d.agent_id} = ${sought.agentId})`,
    )
    .with(
      (cte) => cte('matches').materialized(),
      () => sql<KeyOfChunk & { length: number; common: string }>`(select * from (
          select ${sql.join(key)}, ${commonWith(t.terms, sought)} | coalesce(titles.common, 0) as common
          from chunk_terms t left join titles on titled = ${t.document_id} and titles.common > 0
          where ${isSearched(sought, t)} offset 0) t
        where common > 0)`,
    )
    .with(
      (cte) => cte('counted').materialized(),
      () => sql<{ common: string; chunks: number; words: number }>`(
        select common, count(*) as chunks, sum(${sql.ref('matches.length')}) as words from matches group by common)`,
    )
    .with(
      (cte) => cte('totals').materialized(),
      () => sql<{ all_chunks: number; usual: number; having_it: number[] }>`(
        select greatest((select sum(chunks) from titles), sum(chunks))::float8 as all_chunks,
          (sum(words) / sum(chunks))::float8 + 1 as usual,
          array[${sql.join(digits.map((digit) => sql`coalesce(sum(chunks) filter (where ${digit} > 0), 0)`))}]::float8[] as having_it
        from counted)`,
    )
    .with(
      (cte) => cte('entries').materialized(),
      // Each entry with what its way and its group are worth, as far as the agent has them.
      () => sql<{ grp: number; way: number; slot: number; worth: number; is_code: boolean; is_usable: boolean }>`(
        select grp, way, slot, worth, is_code, way_is_known and not (is_fallback and is_spelt) as is_usable,
          coalesce(spelt, known) is not null as grp_is_known,
          coalesce(spelt, known, case when (${required}::bool[])[grp + 1] then ${sql.lit(unknownWeight)} * best else 0 end)
            / count(*) over grp as share_of_grp
        from (
          select *, max(way_worth) filter (where way_is_known and not is_fallback) over grp as spelt,
            bool_or(way_is_known and not is_fallback) over grp as is_spelt,
            max(way_worth) filter (where way_is_known) over grp as known, max(way_worth) over grp as best
          from (
            select *, sum(worth) over way as way_worth, bool_and(is_known) over way as way_is_known from (
              select grp, way, slot, is_fallback, weight >= ${sql.lit(codeWeight)} as is_code, having_it[slot + 1] > 0 as is_known,
                weight * ln(1 + (all_chunks - having_it[slot + 1] + 0.5) / (having_it[slot + 1] + 0.5)) as worth
              from unnest(${groups}::int[], ${ways}::int[], ${slots}::int[], ${weights}::float8[], ${fallbacks}::bool[])
                as e(grp, way, slot, weight, is_fallback) cross join totals) e
            window way as (partition by grp, way)) w
          window grp as (partition by grp)) g
        window grp as (partition by grp))`,
    )
    .with(
      (cte) => cte('question').materialized(),
      () => sql<{ known: number; worth: number; gains: number[]; worths: number[] }>`(
        select coalesce(sum(share_of_grp) filter (where grp_is_known) / nullif(sum(share_of_grp), 0), 0) as known,
          sum(share_of_grp) as worth, array[${sql.join(gains.map((gain) => sql.lit(gain)))}]::float8[] as gains,
          array[${sql.join(digits.map((_, slot) => sql`coalesce(sum(worth) filter (where is_usable and slot = ${sql.lit(slot)}), 0)`))}] as worths
        from entries)`,
    )
    .with('promising', () =>
      sought.isLarge && !examined ? promising : sql<{ common: string }>`(select common from counted)`,
    )
    .with(
      (cte) => cte('valued').materialized(),
      () => sql<{ common: string; score: number; is_certain: boolean }>`(
        select common, sum(worth) / (select worth from question) as score, bool_or(is_certain) as is_certain from (
          select common, grp, max(worth) as worth, bool_or(is_certain) as is_certain from (
            select common, grp, way, bool_or(is_code) and bool_and(${digitOf('slot')} > 0) as is_certain,
              sum(entries.worth * gains[${digitOf('slot')} + 1]) as worth
            from promising cross join entries cross join question where is_usable
            group by common, grp, way) w
          group by common, grp) g
        group by common having sum(worth) > 0)`,
    )
    .with(
      (cte) => cte('keyword').materialized(),
      () =>
        sql<KeyOfChunk & { score: number; is_certain: boolean }>`(${
          examined
            ? sql`(${best(maxExamined)}) union (${found} where ${sql.ref('m.document_id')} = ${examined})`
            : best(maxFound)
        })`,
    )
}

/** How often each term of the question occurs among the terms, two bits a term. */
function commonWith(terms: Expression<unknown>, { probe1, probe2, probe3 }: Parameters<Sought>) {
  const digits = [probe1, probe2, probe3].flatMap((probe, i) =>
    probe ? [sql`((-(${terms} <#> ${probe}::sparsevec))::bigint << ${sql.lit(24 * i)})`] : [],
  )
  return sql<string>`(${sql.join(digits, sql` + `)})`
}

/** As many as the probes have. */
function slotsOf({ probe2, probe3 }: Parameters<Sought>): number {
  if (probe3) return maxSlots
  return probe2 ? 2 * slotsPerProbe : slotsPerProbe
}

/** @param slot its number, or the column that has it */
function digitOf(slot: number | string) {
  return sql`((common >> ${typeof slot === 'number' ? sql.lit(2 * slot) : sql`(2 * ${sql.ref(slot)})`}) & 3)`
}

import { sql } from 'kysely'
import type { Database } from '../../database/database.ts'
import type { AgentScope } from '../../database/scope.ts'
import { wordsOf } from '../../terms/words.ts'
import { normalForm } from '../../text/normal-form.ts'
import { type KeywordQuery, keywordQuery } from '../keyword/keyword-query.ts'
import type { Hit } from '../schemas.ts'
import { askedWords, asQuestion } from '../statement/asked-question.ts'

/** A word of a question, or several that are read as one code or number, as the keyword search read it for this agent. */
export interface SoughtWord {
  text: string
  /** Its share of the question's weight, 0 to 1: the rarer among the agent's texts, the more. */
  weight: number
  isKnown: boolean
  /** Any of these terms in a text stands for the word. */
  terms: ReadonlySet<string>
}

export type Passage = Pick<Hit, 'document_id' | 'chunk_index'>
/** How much of a word a passage, its title and its headings have: a code may be there in part. */
export type Presence = 'whole' | 'part' | 'none'

interface SoughtWords {
  words: SoughtWord[]
  presencesIn(passage: Passage): Presence[]
}

/** Explains a keyword search: the words that it sought, weighed by its own statement, and which of them these passages have. */
export async function explainWords(
  db: Database,
  scope: AgentScope,
  query: string,
  passages: readonly Passage[],
  asOf?: string,
): Promise<SoughtWords> {
  const sought = keywordQuery(query)
  if (!sought) return { words: [], presencesIn: () => [] }
  const keys = passages.map(({ document_id, chunk_index }) => ({ document_id, chunk_index }))
  const statement = explanation(scope, sought, JSON.stringify(keys), asOf)
  const { rows } = await db.batch({ rows: statement })
  const { entries, matches } = rows[0]!
  const groups = sought.spans.map((_, group) => entries.filter((entry) => entry.grp === group))
  const worth = entries.reduce((sum, entry) => sum + entry.share, 0)
  const spelt = new Set(sought.entries.filter(({ isFallback }) => !isFallback).map(({ group }) => group))
  const isShown = (group: Entry[]) => group.some((entry) => entry.is_known || spelt.has(entry.grp))
  const common = new Map(matches.map((match) => [keyOf(match), BigInt(match.common)]))
  return {
    words: groups.flatMap((group, i) => (isShown(group) ? toWord(query, sought, group, i, worth) : [])),
    presencesIn: (passage) =>
      groups.filter(isShown).map((group) => presenceOf(group, common.get(keyOf(passage)) ?? 0n)),
  }
}

interface Entry {
  grp: number
  way: number
  slot: number
  share: number
  is_usable: boolean
  is_known: boolean
}

interface Match extends Passage {
  /** How often the passage has each term, two bits a slot; as text, since it has more digits than a number. */
  common: string
}

function toWord(
  query: string,
  { spans, terms }: KeywordQuery,
  group: Entry[],
  index: number,
  worth: number,
): SoughtWord {
  const text = normalForm(query)
  const words = wordsOf(text)
  const { from, to } = spans[index]!
  const last = words[to - 1]!
  return {
    text: text.slice(words[from]!.start, last.start + last.text.length),
    weight: worth > 0 ? group.reduce((sum, entry) => sum + entry.share, 0) / worth : 0,
    isKnown: group.some((entry) => entry.is_known),
    terms: new Set(group.filter((entry) => entry.is_usable).map((entry) => terms[entry.slot]!)),
  }
}

function presenceOf(group: Entry[], common: bigint): Presence {
  const has = ({ slot }: Entry) => ((common >> BigInt(2 * slot)) & 3n) > 0n
  const ways = [
    ...Map.groupBy(
      group.filter((entry) => entry.is_usable),
      (entry) => entry.way,
    ).values(),
  ]
  if (ways.some((way) => way.every(has))) return 'whole'
  return ways.some((way) => way.some(has)) ? 'part' : 'none'
}

const keyOf = ({ document_id, chunk_index }: Passage) => `${document_id} ${chunk_index}`

function explanation(
  { organizationId, agentId }: AgentScope,
  sought: KeywordQuery,
  passages: string,
  asOf: string | undefined,
) {
  const at = sql`coalesce(${asOf ?? null}::timestamptz, now())`
  return sql<{
    entries: Entry[]
    matches: Match[]
  }>`with asked as materialized (select * from ${asQuestion(askedWords([sought], sought.terms))}),
titles as materialized (
  select id as titled, occurrences(title_terms, probes) as common,
    case when active_revision is null or not is_valid(valid_from, valid_until, ${at}) then 0 else chunk_count end as chunks
  from asked cross join documents d where d.organization_id = ${organizationId} and agent_id = ${agentId}),
matches as materialized (
  select t.document_id, t.chunk_index, occurrences(t.terms, probes) | coalesce(titles.common, 0) as common
  from asked cross join served_terms(${organizationId}, ${agentId}, null, null, ${at}) t left join titles on titled = t.document_id),
entries as (
  select e.* from (
    select greatest((select sum(chunks) from titles), count(*))::float8 as all_chunks, array(
      select (select count(*)::numeric from matches where (common >> (2 * slot)) & 3 > 0)
      from generate_series(0, 30) slot order by slot) as having_it
    from matches where common > 0) totals
  cross join asked cross join weighed_terms(all_chunks, having_it, asked.terms) e)
select (
    select json_agg(json_build_object('grp', grp, 'way', way, 'slot', slot, 'share', share_of_group,
      'is_usable', is_usable, 'is_known', group_is_known) order by grp, way, slot)
    from entries) as entries, (
    select coalesce(json_agg(json_build_object('document_id', m.document_id, 'chunk_index', m.chunk_index,
      'common', m.common::text)), '[]')
    from matches m join jsonb_to_recordset(${passages}::jsonb) as p(document_id uuid, chunk_index int)
      using (document_id, chunk_index)
    where m.common > 0) as matches`
}

import { sql } from 'kysely'
import { compiledOnce } from '../../database/compiled-once.ts'
import type { Database } from '../../database/database.ts'
import type { AgentScope } from '../../database/scope.ts'
import { wordsOf } from '../../terms/words.ts'
import { type KeywordQuery, keywordQuery } from '../keyword/keyword-query.ts'
import type { Hit } from '../schemas.ts'
import { keywordArm, keywordParameters } from '../statement/keyword-arm.ts'
import { filterParameters, unserved } from '../statement/searched-chunks.ts'

/** A word of a question, or several that are read as one code or number, as search by words took it for this agent. */
export interface SoughtWord {
  text: string
  /** Its part of what the whole question counts, 0 to 1: the rarer among the agent's texts, the more. */
  weight: number
  isKnown: boolean
  /** What it is found by: in a text, any of these terms stands for it. */
  terms: ReadonlySet<string>
}

export type Passage = Pick<Hit, 'document_id' | 'chunk_index'>
/** How much of a word a passage, its title and its headings have: a code may be there in part. */
export type Presence = 'whole' | 'part' | 'none'

export interface SoughtWords {
  words: SoughtWord[]
  presencesIn(passage: Passage): Presence[]
}

/** What search by words has looked for, weighed by its own statement, and what of it these passages have. */
export async function explainWords(
  db: Database,
  scope: AgentScope,
  query: string,
  passages: readonly Passage[],
): Promise<SoughtWords> {
  const sought = keywordQuery(query)
  if (!sought) return { words: [], presencesIn: () => [] }
  const keys = passages.map(({ document_id, chunk_index }) => ({ document_id, chunk_index }))
  const statement = explanation({
    ...filterParameters(scope, { limit: 1 }),
    ...keywordParameters(sought),
    isLarge: false,
    passages: JSON.stringify(keys),
  })
  const { rows } = await db.batch({ rows: statement })
  const { entries, matches } = rows[0]!
  const groups = sought.spans.map((_, group) => entries.filter((entry) => entry.grp === group))
  const worth = entries.reduce((sum, entry) => sum + entry.share, 0)
  const spelt = new Set(sought.groups.filter((_, i) => !sought.fallbacks[i]))
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
  const text = query.normalize('NFKC')
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

type Asked = ReturnType<typeof filterParameters> &
  ReturnType<typeof keywordParameters> & { isLarge: boolean; passages: string }

const explanation = compiledOnce<Asked, { entries: Entry[]; matches: Match[] }>(
  (_, p) => sql`with ${unserved(p)},
${keywordArm(p)}
select (
    select json_agg(json_build_object('grp', grp, 'way', way, 'slot', slot, 'share', share_of_grp,
      'is_usable', is_usable, 'is_known', grp_is_known) order by grp, way, slot)
    from entries) as entries, (
    select coalesce(json_agg(json_build_object('document_id', m.document_id, 'chunk_index', m.chunk_index,
      'common', m.common::text)), '[]')
    from matches m join jsonb_to_recordset(${p.passages}::jsonb) as p(document_id uuid, chunk_index int)
      using (document_id, chunk_index)) as matches`,
)

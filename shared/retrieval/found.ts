import type { KeptHit } from '../database/tables.ts'
import { dayOf, dayText } from '../organizations/time-zone.ts'
import { addressFirst, asksAddress } from './address.ts'
import { datesOf } from './dates/asked-days.ts'
import { type Dated, datedFirst, daysOfCall, withWeekdays, wordsOfDays } from './dates/dated.ts'
import { type Place as ChunkPlace, placeOf } from './index/agent-index.ts'
import { type Judgement, judge, withoutPassages } from './judgement.ts'
import { comparedPassages, orderedByRuns } from './letter-runs.ts'
import { type Likeness, likenessOf } from './meaning/likeness.ts'
import type { Filters, Plan } from './plan.ts'
import type { Ranked } from './ranking/rank.ts'
import type { Hit, Value } from './schemas.ts'
import { unseenFirst } from './seen.ts'
import type { PassageRow } from './statement/read-agent.ts'
import { unequal } from './unequal.ts'

/** A passage that search found, with the revision of its document that search serves. The API calls it a hit. */
export type FoundPassage = Hit & { revision: number }

/** What the log keeps of a hit. */
export function toKeptHit<Kept extends KeptHit>(hit: Kept): Pick<Kept, keyof KeptHit> {
  const { chunk_id, document_id, revision, chunk_index, score } = hit
  return { chunk_id, document_id, revision, chunk_index, score }
}

export interface Found extends Judgement {
  hits: FoundPassage[]
  /** The days that the question names, in the agent's time zone. */
  dates: ReturnType<typeof datesOf>
  /** The words that texts may have for these days. */
  sought: string
  /** “Thursday, 24 December 2026”, the day in the agent's time zone; undefined unless the question names days. */
  today: string | undefined
  hasVector: boolean
  /** The model that serves the agent: `hasVector` is false for vectors of another. */
  model: string | null
  /** The stored vectors by their keys in hexadecimal, of those that were given. */
  stored: ReadonlyMap<string, Float32Array>
}

/** A passage before it is judged, with the time in which its document is valid. */
type Passage = FoundPassage & Pick<Dated, 'valid_from' | 'valid_until'>

/** Texts of chunks; null for one that is not stored any more. */
export type Texts = readonly (PassageRow | null | undefined)[]

/** A passage's name in an agent. */
export const nameOf = (documentId: string, index: number) => `${documentId} ${index}`

/** The answer to a question. @param ranked best first; those without a text are left out */
export function answerOf(plan: Plan, ranked: readonly Ranked[], texts: Texts): Found {
  const textOf = new Map(texts.flatMap((text) => (text ? [[nameOf(text.document_id, text.chunk_index), text]] : [])))
  const found = ranked.flatMap((each) => {
    const place = placeOf(plan.index, each.chunk)
    const text = textOf.get(nameOf(place.document.documentId, place.index))
    return text ? [toPassage(each, place, text)] : []
  })
  return judged(plan, found, ranked[0]?.likeness)
}

/**
 * The passages that are returned: of equal ones one, the best `limit` with at least `min_score`.
 * @param isAll false if more passages could be ranked
 * @returns undefined if more must be
 */
export function withinLimit(
  found: Found,
  { limit, min_score = -1 }: Pick<Filters, 'limit' | 'min_score'>,
  isAll: boolean,
): Found | undefined {
  const passages = unequal(found.hits)
  if (passages.length < limit && !isAll) return undefined
  const value = found.value && { ...found.value, chunk_id: passages[0]!.chunk_id }
  const hits = passages.filter(({ score }) => score >= min_score).slice(0, limit)
  return { ...found, hits, value, ...(hits.length === 0 && withoutPassages(found.answerable !== null)) }
}

function toPassage({ score, semantic, keyword }: Ranked, { document }: ChunkPlace, row: PassageRow): Passage {
  const { chunk_id, document_id, chunk_index, content, token_count, metadata, url, page } = row
  const { revision, title, validFrom, validUntil } = document
  const headings = Array.isArray(metadata.headings) ? metadata.headings : []
  const heading: unknown = headings.at(-1)
  return {
    chunk_id,
    document_id,
    revision,
    document_title: title,
    chunk_index,
    content,
    token_count,
    metadata,
    valid_from: Number.isFinite(validFrom) ? new Date(validFrom) : null,
    valid_until: Number.isFinite(validUntil) ? new Date(validUntil) : null,
    score,
    source: { title, url, page, heading: typeof heading === 'string' ? heading : null },
    scores: { semantic, keyword },
  }
}

/** Orders the best passages as a caller needs them, and judges them. @param passages best first */
function judged({ index, sought }: Plan, passages: readonly Passage[], likeness: Likeness | undefined): Found {
  const { mode, hypotheses, history = [], seen, moment } = sought
  const asked = hypotheses.flatMap(({ query, inContext = query }) =>
    query === undefined ? [] : [{ query, inContext: inContext! }],
  )
  const { name, model } = index.agent
  const hasVector = mode !== 'keyword' && hypotheses.every(({ vector }) => vector !== undefined)
  const likenessBy = (cosine: number) => likenessOf(cosine, likeness ?? { unlike: 0, reach: 1 })
  const heard = [...new Set(asked.flatMap(({ query, inContext }) => [query, inContext]))]
  const ordered = mode === 'hybrid' && hasVector ? orderedByRuns(heard, passages) : passages
  const unseen = unseenFirst(heard, ordered, seen)
  const days = asked[0] ? daysOfCall(asked[0].query, history, moment) : []
  const dated = datedFirst(unseen.slice(0, comparedPassages), asked[0]?.inContext ?? '', days, moment, name)
  const isWhere = asked.some(({ query }) => asksAddress(query))
  const { hits: compared, address } = isWhere
    ? addressFirst(dated.hits, name)
    : { hits: dated.hits, address: undefined }
  const hits = [...compared, ...unseen.slice(comparedPassages)]
  const turnOf = (text: string) => withWeekdays(text, days, moment, dated)
  const queries = [...new Set(heard.map(turnOf))]
  const readings = asked.map(({ query }) => ({ query: turnOf(query), history: history.map(turnOf) }))
  const scale = mode === 'hybrid' && !hasVector ? 'keyword' : mode
  const judgement = judge({ queries, readings, agentName: name, ...dated, address }, scale, compared, likenessBy)
  const given = provenFirst(hits, judgement.value).map(({ valid_from, valid_until, ...hit }) => hit)
  return {
    hits: given,
    ...judgement,
    dates: datesOf(days),
    today: days.length > 0 ? dayText(dayOf(moment.at, moment.place.timeZone)) : undefined,
    sought: wordsOfDays(asked[0]?.inContext ?? '', days, moment),
    hasVector,
    model,
    stored: new Map(),
  }
}

/** Puts the passage with the proven value first: no other has more of the question's words. Scores stay the same. */
function provenFirst<Found extends Pick<Hit, 'chunk_id'>>(hits: Found[], value: Value | null): Found[] {
  const proven = hits.filter(({ chunk_id }) => chunk_id === value?.chunk_id)
  return [...new Set([...proven, ...hits])]
}

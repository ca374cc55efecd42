import { sql } from 'kysely'
import { BoundedMap } from '../bounded-map.ts'
import type { Database, Statement } from '../database/database.ts'
import type { AgentScope } from '../database/scope.ts'
import { agentNotFound } from '../http/not-found.ts'
import { payloadLimit } from '../http/payload.ts'
import type { AgentId } from '../ids.ts'
import { dayOf, dayText, timeZoneOf } from '../organizations/time-zone.ts'
import { datesOf } from './dates/asked-days.ts'
import { anywhere, type Place } from './dates/calendar.ts'
import { type Dated, datedFirst, daysOfCall, type Moment, withWeekdays, wordsOfDays } from './dates/dated.ts'
import { inContext } from './in-context.ts'
import { type Judgement, judge, type LikenessOf, withoutPassages } from './judgement.ts'
import { comparedPassages, orderedByRuns } from './letter-runs.ts'
import type { Hit, Mode, Source, Value } from './schemas.ts'
import { furtherPassages, unseenFirst } from './seen.ts'
import { type Asked, asQuestion, type Filters, questionsOf } from './statement/asked-question.ts'
import { unequal } from './unequal.ts'

/** A passage that search found, with the revision of its document that search serves. The API calls it a hit. */
export type FoundPassage = Hit & { revision: number }

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
  model: string
  likenessOf: LikenessOf
}

interface Models {
  /** The model that made the vectors; undefined for a caller's own, which count as the serving model's. */
  asked_model: string | undefined
  /** The model that serves an agent which names none. */
  assumed_model: string | undefined
}

type Origin = Pick<Source, 'url' | 'page'>
type Validity = Pick<Dated, 'valid_from' | 'valid_until'>

export type Row = {
  is_agent: boolean
  agent_name: string | null
  /** The agent's; null if nobody has chosen them. */
  time_zone: string | null
  holidays: string | null
  has_vector: boolean
  model: string
  /** A cosine of `unlike` is unrelated to the question; one that is higher by `reach` answers it. */
  unlike: number | null
  reach: number | null
  semantic: number
  keyword: number
} & ((Omit<FoundPassage, 'scores' | 'source'> & Origin & Validity) | { chunk_id: null })

/** Each finds four times as many passages, where many of them are equal. */
const maxRefills = 3

/** The places of the agents that this instance has met. */
const places = new BoundedMap<AgentId, Place>(10_000)

/**
 * Searches for all hypotheses; a chunk has its best score over them. Returns the one with the proven value, then those that name the
 * asked days (`datedFirst`), then the best first, ties by document and index, seen ones behind others as good (`unseenFirst`), one of
 * several documents' equal passages (`unequal`), and as many as fit into a response, at least one if any. Takes a further round trip where
 * an instance meets an agent in whose time zone the question means other days, and where too few of the passages differ.
 * @throws ApiError agent_not_found
 */
export async function search(
  db: Database,
  scope: AgentScope,
  mode: Mode,
  hypotheses: readonly Asked[],
  filters: Filters,
  models: Models = { asked_model: undefined, assumed_model: undefined },
): Promise<Found> {
  const { min_score = -1, seen, as_of } = filters
  const at = as_of === undefined ? new Date() : new Date(as_of)
  let limit = Math.max(filters.limit, comparedPassages) + furtherPassages(seen)
  const rowsBy = async (place: Place) => {
    const asked = hypotheses.map((each) => withDays(each, filters, { at, place }))
    // Hypotheses with very many terms take several calls.
    const calls = questionsOf(scope, mode, asked, { ...filters, limit }).map(
      (question) => sql<Row>`select * from answers(${asQuestion({ ...question, ...models, max_bytes: payloadLimit })})`,
    )
    const rows: Row[][] = Object.values(
      await db.batch(Object.fromEntries(calls.entries()) as Record<string, Statement<Row>>),
    )
    return { rows, words: `${asked.map(({ words }) => words)}` }
  }
  const assumed = places.get(scope.agentId) ?? anywhere
  let { rows, words } = await rowsBy(assumed)
  if (!rows[0]![0]!.is_agent) agentNotFound()
  const place = placeOf(rows[0]![0]!)
  places.set(scope.agentId, place)
  const isAssumed = place.timeZone === assumed.timeZone && place.holidays === assumed.holidays
  if (!isAssumed && `${hypotheses.map((each) => withDays(each, filters, { at, place }).words)}` !== words)
    ({ rows, words } = await rowsBy(place))
  let found = toFound(rows, mode, hypotheses, filters, { at })
  let unequalPassages = unequal(found.hits)
  for (let i = 0; i < maxRefills && unequalPassages.length < filters.limit; i++) {
    if (rows.every((call) => call.length < limit)) break
    limit *= 4
    ;({ rows } = await rowsBy(place))
    found = toFound(rows, mode, hypotheses, filters, { at })
    unequalPassages = unequal(found.hits)
  }
  const value = found.value && { ...found.value, chunk_id: unequalPassages[0]!.chunk_id }
  const hits = unequalPassages.filter(({ score }) => score >= min_score).slice(0, filters.limit)
  return { ...found, hits, value, ...(hits.length === 0 && withoutPassages(found.answerable !== null)) }
}

export function placeOf({ time_zone, holidays }: Pick<Row, 'time_zone' | 'holidays'>): Place {
  return { timeZone: timeZoneOf({ time_zone }), holidays }
}

/** Adds the words for the days that a hypothesis names. */
export function withDays(asked: Asked, { history = [] }: Pick<Filters, 'history'>, moment: Moment): Asked {
  if (asked.query === undefined) return asked
  return {
    ...asked,
    words: wordsOfDays(inContext(asked.query, history), daysOfCall(asked.query, history, moment), moment),
  }
}

/** Converts the rows of the database function `answers`, and judges the best hits. */
export function toFound(
  calls: readonly Row[][],
  mode: Mode,
  hypotheses: readonly Asked[],
  { history = [], seen }: Pick<Filters, 'history' | 'seen'>,
  { at, isAnyWeek = false }: Pick<Moment, 'at' | 'isAnyWeek'>,
): Found {
  const asked = hypotheses.flatMap(({ query, inContext = query }) =>
    query === undefined ? [] : [{ query, inContext: inContext! }],
  )
  const moment = { at, place: placeOf(calls[0]![0]!), isAnyWeek }
  const { agent_name, model, unlike, reach } = calls[0]![0]!
  const hasVector = calls.every(([row]) => row!.has_vector)
  const likenessOf = (cosine: number) => Math.min(1, Math.max(0, (cosine - (unlike ?? 0)) / (reach ?? 1)))
  const heard = [...new Set(asked.flatMap(({ query, inContext }) => [query, inContext]))]
  const ordered = calls.map((rows) => {
    const hits = rows.flatMap(toHit)
    return mode === 'hybrid' && hasVector ? orderedByRuns(heard, hits) : hits
  })
  const unseen = unseenFirst(heard, ordered.length > 1 ? merged(ordered.flat()) : ordered[0]!, seen)
  const days = asked[0] ? daysOfCall(asked[0].query, history, moment) : []
  const dated = datedFirst(unseen.slice(0, comparedPassages), asked[0]?.inContext ?? '', days, moment, agent_name ?? '')
  const hits = [...dated.hits, ...unseen.slice(comparedPassages)]
  const turnOf = (text: string) => withWeekdays(text, days, moment, dated)
  const queries = [...new Set(heard.map(turnOf))]
  const readings = asked.map(({ query }) => ({ query: turnOf(query), history: history.map(turnOf) }))
  const scale = mode === 'hybrid' && !hasVector ? 'keyword' : mode
  const judgement = judge({ queries, readings, agentName: agent_name ?? '', ...dated }, scale, dated.hits, likenessOf)
  const given = provenFirst(hits, judgement.value).map(({ valid_from, valid_until, ...hit }) => hit)
  return {
    hits: given,
    ...judgement,
    dates: datesOf(days),
    today: days.length > 0 ? dayText(dayOf(at, moment.place.timeZone)) : undefined,
    sought: wordsOfDays(asked[0]?.inContext ?? '', days, moment),
    hasVector,
    model,
    likenessOf,
  }
}

function toHit({
  is_agent,
  agent_name,
  time_zone,
  holidays,
  has_vector,
  model,
  unlike,
  reach,
  semantic,
  keyword,
  ...hit
}: Row): (FoundPassage & Validity)[] {
  return hit.chunk_id === null ? [] : [{ ...withSource(hit), scores: { semantic, keyword } }]
}

/** Adds the source of a hit. */
function withSource<Placed extends Omit<Hit, 'source' | 'scores'> & Origin>({ url, page, ...hit }: Placed) {
  const headings = Array.isArray(hit.metadata.headings) ? hit.metadata.headings : []
  const heading: unknown = headings.at(-1)
  const source = { title: hit.document_title, url, page, heading: typeof heading === 'string' ? heading : null }
  return { ...hit, source }
}

/** The hits of several calls, each with its best score, best first. */
function merged<Merged extends FoundPassage>(hits: readonly Merged[]): Merged[] {
  const best = new Map<string, Merged>()
  for (const hit of hits) if ((best.get(hit.chunk_id)?.score ?? -2) < hit.score) best.set(hit.chunk_id, hit)
  const place = (hit: Hit) => `${hit.document_id} ${String(hit.chunk_index).padStart(7, '0')}`
  return [...best.values()].sort((a, b) => b.score - a.score || (place(a) < place(b) ? -1 : 1))
}

/** Puts the passage with the proven value first: no other has more of the question's words. Scores stay the same. */
function provenFirst<Found extends Pick<Hit, 'chunk_id'>>(hits: Found[], value: Value | null): Found[] {
  const proven = hits.filter(({ chunk_id }) => chunk_id === value?.chunk_id)
  return [...new Set([...proven, ...hits])]
}

import type { Database } from '../database/database.ts'
import type { AgentScope } from '../database/scope.ts'
import { fromStored } from '../embedding/vectors.ts'
import { agentNotFound } from '../http/not-found.ts'
import type { DocumentId } from '../ids.ts'
import { dayOf, dayText, timeZoneOf } from '../organizations/time-zone.ts'
import { Unavailable } from '../unavailable.ts'
import { datesOf } from './dates/asked-days.ts'
import type { Place } from './dates/calendar.ts'
import { type Dated, datedFirst, daysOfCall, type Moment, withWeekdays, wordsOfDays } from './dates/dated.ts'
import { inContext } from './in-context.ts'
import {
  type AgentFacts,
  type AgentIndex,
  areEquallyValid,
  type Chosen,
  type Place as ChunkPlace,
  placeOf,
  servedDocuments,
  viewOf,
} from './index/agent-index.ts'
import { withRow } from './index/changes.ts'
import { type LoadedAgents, loadedAgents } from './index/loaded-agents.ts'
import { type Judgement, judge, type LikenessOf, withoutPassages } from './judgement.ts'
import { keywordQuery, wordsShare } from './keyword/keyword-query.ts'
import { soughtTerms } from './keyword/weights.ts'
import { comparedPassages, orderedByRuns } from './letter-runs.ts'
import { type Likeness, likenessOf } from './meaning/likeness.ts'
import { findQueryVectors, type QueryVectorKey, rememberQueryVectors } from './query-vector/query-vectors.ts'
import { type Draft, type Ranked, rank } from './ranking/rank.ts'
import type { Hit, Mode, Value } from './schemas.ts'
import { furtherPassages, unseenFirst } from './seen.ts'
import { keepPassages, keptPassage } from './statement/kept-passages.ts'
import { type AgentRow, type PassageRow, readAgent, selectChosen, type Wanted } from './statement/read-agent.ts'
import { unequal } from './unequal.ts'

/** A passage that search found, with the revision of its document that search serves. The API calls it a hit. */
export type FoundPassage = Hit & { revision: number }

export interface Filters {
  limit: number
  min_score?: number | undefined
  document_ids?: DocumentId[] | undefined
  metadata?: Record<string, unknown> | undefined
  /** Metadata that a hit's document must contain. */
  document_metadata?: Record<string, unknown> | undefined
  /** When documents must be valid; now unless given. */
  as_of?: string | undefined
  /** The caller's earlier turns, oldest first. */
  history?: readonly string[] | undefined
  /** Chunks that the call was given: their ids, or `document#index`. */
  seen?: readonly string[] | undefined
}

/** One hypothesis of the question. */
export interface Asked {
  query?: string | undefined
  /** The query with the turns before it: see `inContext`. */
  inContext?: string | undefined
  vector?: ArrayLike<number> | undefined
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
  likenessOf: LikenessOf
}

/** A question as it is put to an index. */
export interface Sought {
  mode: Mode
  hypotheses: readonly Asked[]
  history?: readonly string[] | undefined
  seen?: readonly string[] | undefined
  moment: Moment
  /** The number of chunks to find. */
  limit: number
  chosen?: Chosen | undefined
}

/** What is asked of search. */
interface Question {
  mode: Mode
  hypotheses: readonly Asked[]
  filters: Filters
  vectors?: Vectors
}

interface Vectors {
  /** The model that made the hypotheses' vectors; undefined for a caller's own, which count as the serving model's. */
  model: string | undefined
  /** Keys under which vectors may be stored. */
  keys?: readonly QueryVectorKey[]
  /** Vectors to store. */
  made?: readonly { key: QueryVectorKey; vector: ArrayLike<number> }[]
}

/** A passage before it is judged, with the time in which its document is valid. */
type Passage = FoundPassage & Pick<Dated, 'valid_from' | 'valid_until'>

/** Each finds four times as many passages, where many of them are equal. */
const maxRefills = 3
/** After each attempt the index is as new as the attempt was. */
const maxAttempts = 20
/** Texts that are read beyond the wanted ones, since exact cosines change the order. */
const spareTexts = 50

/**
 * Searches for all hypotheses; a chunk has its best score over them. Returns the one with the proven value, then those that name the
 * asked days (`datedFirst`), then the best first, ties by document and index, seen ones behind others as good (`unseenFirst`), one of
 * several documents' equal passages (`unequal`), and as many as fit into a response, at least one if any.
 *
 * Ranks by the index that the instance keeps, and takes one round trip; further ones for a filter by metadata, where something has changed
 * since, where exact cosines bring up a chunk whose text was not read, and where too few of the passages differ.
 * @throws ApiError agent_not_found, payload_too_large; Unavailable
 */
export async function search(
  db: Pick<Database, 'batch'>,
  scope: AgentScope,
  { mode, hypotheses, filters, vectors = { model: undefined } }: Question,
  agents: LoadedAgents = loadedAgents,
): Promise<Found> {
  const { min_score = -1, seen, history, as_of } = filters
  let limit = Math.max(filters.limit, comparedPassages) + furtherPassages(seen)
  let index = await agents.of(db, scope)
  let now = Date.now()
  let refills = 0
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const isServed = vectors.model === undefined || (index.agent.model ?? vectors.model) === vectors.model
    const at = new Date(as_of ?? now)
    const plan = planOf(index, {
      mode,
      hypotheses: isServed ? hypotheses : hypotheses.map(({ vector, ...each }) => each),
      history,
      seen,
      moment: { at, place: whereabouts(index.agent) },
      limit,
      chosen: await chosenBy(db, scope, filters),
    })
    const { rows, stored = [] } = await db.batch({
      ...(attempt === 1 && rememberQueryVectors(scope, vectors.made)),
      ...(vectors.keys && { stored: findQueryVectors(scope, vectors.keys) }),
      rows: readAgent(scope, { ...plan.wanted, read: plan.wanted.read.filter((place) => !keptPassage(scope, place)) }),
    })
    const row = rows[0] ?? agentNotFound()
    const newer = row.version === index.version ? index : agents.keep(await withRow(db, index, row))
    // Only then does the index have all that was served when the search began.
    const isNew = newer === index || (attempt > 1 && hasSame(newer, plan.wanted))
    const isValidNow = as_of !== undefined || areEquallyValid(index, at.getTime(), row.now)
    const ranked = plan.draft.finish(row.cosines ?? [])
    const texts = isNew && isValidNow && (await textsOf(db, plan, ranked, row))
    index = newer
    now = row.now
    if (!texts) continue
    const found = answerOf(plan, ranked, texts)
    const passages = unequal(found.hits)
    if (passages.length >= filters.limit || ranked.length < limit || refills === maxRefills) {
      const value = found.value && { ...found.value, chunk_id: passages[0]!.chunk_id }
      const hits = passages.filter(({ score }) => score >= min_score).slice(0, filters.limit)
      const vectorOf = new Map(stored.map(({ key, embedding }) => [key, fromStored(embedding, 0)]))
      const none = hits.length === 0 && withoutPassages(found.answerable !== null)
      return { ...found, hits, value, stored: vectorOf, ...none }
    }
    limit *= 4
    refills++
  }
  throw new Unavailable('database', new Error('The knowledge base changes faster than it can be read'))
}

/** The texts of the best chunks, as many as fit into a response. @returns undefined if something has changed since the row was read */
async function textsOf(
  db: Pick<Database, 'batch'>,
  { index, wanted }: Plan,
  ranked: readonly Ranked[],
  row: AgentRow,
): Promise<Texts | undefined> {
  const { scope } = index
  const kept = wanted.read.map((place) => keptPassage(scope, place))
  const texts = [...(row.passages ?? []), ...kept]
  const missing = missingTexts(index, ranked, texts)
  const version = row.version
  const { rows } =
    missing.length > 0 ? await db.batch({ rows: readAgent(scope, { version, read: missing }) }) : { rows: [row] }
  if (rows[0]?.version !== version) return undefined
  const read = missing.length > 0 ? (rows[0].passages ?? []) : texts
  if (version === index.version) keepPassages(scope, [...wanted.read, ...missing], read)
  return read
}

/** The documents, or places in them, to which the filters confine a search; undefined for all. */
async function chosenBy(
  db: Pick<Database, 'batch'>,
  scope: AgentScope,
  { document_ids: ids, metadata, document_metadata }: Filters,
): Promise<Chosen | undefined> {
  if (metadata === undefined && document_metadata === undefined) return ids && new Map(ids.map((id) => [id, 'all']))
  const { rows } = await db.batch({ rows: selectChosen(scope, metadata, document_metadata) })
  const isNamed = ids && new Set(ids)
  const named = rows.filter(({ document_id }) => isNamed?.has(document_id) !== false)
  return new Map(named.map(({ document_id, places }) => [document_id, metadata ? new Set(places) : 'all']))
}

/** True if the documents of these chunks are served in the same revision by a newer index. */
function hasSame(newer: AgentIndex, { compared, read }: Plan['wanted']): boolean {
  const documents = newer.layers.flatMap(servedDocuments)
  const served = new Set(documents.map(({ documentId, revision }) => `${documentId} ${revision}`))
  return [...compared, ...read].every(({ document: { documentId, revision } }) =>
    served.has(`${documentId} ${revision}`),
  )
}

/** A question, ranked by estimates, and what it needs from the database. */
export interface Plan {
  index: AgentIndex
  sought: Sought
  draft: Draft
  wanted: Required<Pick<Wanted, 'version' | 'compared' | 'vectors' | 'read'>>
}

export function planOf(index: AgentIndex, sought: Sought): Plan {
  const { mode, hypotheses, history, moment, limit, chosen } = sought
  const view = viewOf(index, moment.at.getTime(), chosen)
  const asked = hypotheses.map(({ query, vector }) => {
    const words = query === undefined ? undefined : [query, daysWords(query, history, moment)].filter(Boolean).join(' ')
    const read = words === undefined ? undefined : keywordQuery(words)
    return { terms: soughtTerms(read, history), weight: read?.weight ?? wordsShare, vector }
  })
  const draft = rank(view, mode, asked, limit)
  const places = (chunks: readonly number[]) => chunks.map((chunk) => placeOf(index, chunk))
  const vectors = draft.compared.length > 0 ? asked.map(({ vector }) => vector!) : []
  const wanted = {
    version: index.version,
    compared: places(draft.compared),
    vectors,
    read: places(draft.likely.slice(0, limit + spareTexts)),
  }
  return { index, sought, draft, wanted }
}

/** Texts of chunks; null for one that is not stored any more. */
export type Texts = readonly (PassageRow | null | undefined)[]

/** The best chunks in their order, if one of the texts is missing. */
function missingTexts(index: AgentIndex, ranked: readonly Ranked[], texts: Texts): ChunkPlace[] {
  const has = new Set(texts.map((text) => text && nameOf(text.document_id, text.chunk_index)))
  const best = ranked.map(({ chunk }) => placeOf(index, chunk))
  return best.every(({ document, index }) => has.has(nameOf(document.documentId, index))) ? [] : best
}

const nameOf = (documentId: string, index: number) => `${documentId} ${index}`

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

/** The time zone and the holidays of an agent's callers. */
export function whereabouts({ time_zone, holidays }: Pick<AgentFacts, 'time_zone' | 'holidays'>): Place {
  return { timeZone: timeZoneOf({ time_zone }), holidays }
}

/** The words that texts may have for the days that a turn names: they are sought, too, but have no part in its vector. */
function daysWords(query: string, history: readonly string[] = [], moment: Moment): string {
  return wordsOfDays(inContext(query, history), daysOfCall(query, history, moment), moment)
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
  const hits = [...dated.hits, ...unseen.slice(comparedPassages)]
  const turnOf = (text: string) => withWeekdays(text, days, moment, dated)
  const queries = [...new Set(heard.map(turnOf))]
  const readings = asked.map(({ query }) => ({ query: turnOf(query), history: history.map(turnOf) }))
  const scale = mode === 'hybrid' && !hasVector ? 'keyword' : mode
  const judgement = judge({ queries, readings, agentName: name, ...dated }, scale, dated.hits, likenessBy)
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
    likenessOf: likenessBy,
  }
}

/** Puts the passage with the proven value first: no other has more of the question's words. Scores stay the same. */
function provenFirst<Found extends Pick<Hit, 'chunk_id'>>(hits: Found[], value: Value | null): Found[] {
  const proven = hits.filter(({ chunk_id }) => chunk_id === value?.chunk_id)
  return [...new Set([...proven, ...hits])]
}

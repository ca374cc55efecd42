import type { DocumentId } from '../ids.ts'
import { timeZoneOf } from '../organizations/time-zone.ts'
import { asksAddress, soughtAddress } from './address.ts'
import type { Place } from './dates/calendar.ts'
import { daysOfCall, type Moment, wordsOfDays } from './dates/dated.ts'
import { inContext } from './in-context.ts'
import {
  type AgentFacts,
  type AgentIndex,
  type Chosen,
  type Place as ChunkPlace,
  placeOf,
  viewOf,
} from './index/agent-index.ts'
import { keywordQuery, wordsShare } from './keyword/keyword-query.ts'
import { soughtTerms } from './keyword/weights.ts'
import { comparedPassages } from './letter-runs.ts'
import { type Draft, rank } from './ranking/rank.ts'
import type { Mode } from './schemas.ts'
import { furtherPassages } from './seen.ts'

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

/** Texts that are read beyond the wanted ones, since exact cosines change the order. */
const spareTexts = 50

/** A question, ranked by estimates, and what it needs from the database. */
export interface Plan {
  index: AgentIndex
  sought: Sought
  draft: Draft
  wanted: {
    /** The version of the index. */
    version: number
    /** Chunks whose exact cosines with the vectors are wanted. */
    compared: readonly ChunkPlace[]
    vectors: readonly ArrayLike<number>[]
    /** Chunks whose texts may be wanted. */
    read: readonly ChunkPlace[]
  }
}

export function planOf(index: AgentIndex, sought: Sought): Plan {
  const { mode, hypotheses, history, moment, limit, chosen } = sought
  const view = viewOf(index, moment.at.getTime(), chosen)
  const asked = hypotheses.map(({ query, vector }) => {
    if (query !== undefined && asksAddress(query)) return { terms: soughtAddress, weight: wordsShare, vector }
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

/** The time zone and the holidays of an agent's callers. */
export function whereabouts({ time_zone, holidays }: Pick<AgentFacts, 'time_zone' | 'holidays'>): Place {
  return { timeZone: timeZoneOf({ time_zone }), holidays }
}

/** The words that texts may have for the days that a turn names: they are sought, too, but have no part in its vector. */
function daysWords(query: string, history: readonly string[] = [], moment: Moment): string {
  return wordsOfDays(inContext(query, history), daysOfCall(query, history, moment), moment)
}

/** Each finds four times as many passages, where many of them are equal. */
export const maxRefills = 3

/** The number of chunks that a search ranks first. */
export function firstLimit({ limit, seen }: Pick<Filters, 'limit' | 'seen'>): number {
  return Math.max(limit, comparedPassages) + furtherPassages(seen)
}

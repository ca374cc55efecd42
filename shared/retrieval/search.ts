import { sql } from 'kysely'
import type { Database, Statement } from '../database/database.ts'
import type { AgentScope } from '../database/scope.ts'
import { agentNotFound } from '../http/not-found.ts'
import { payloadLimit } from '../http/payload.ts'
import { type Judgement, judge, type LikenessOf, withoutHits } from './judgement.ts'
import { comparedHits, orderedByRuns } from './letter-runs.ts'
import type { Hit, Mode, Source, Value } from './schemas.ts'
import { furtherHits, unseenFirst } from './seen.ts'
import { type Asked, asQuestion, type Filters, questionsOf } from './statement/asked-question.ts'

/** A hit with the revision of its document that search serves. */
export type FoundHit = Hit & { revision: number }

export interface Found extends Judgement {
  hits: FoundHit[]
  hasVector: boolean
  /** The model that serves the agent: `hasVector` is false for vectors of another. */
  model: string
  likenessOf: LikenessOf
}

export interface Models {
  /** The model that made the vectors; undefined for a caller's own, which count as the serving model's. */
  asked_model: string | undefined
  /** The model that serves an agent which names none. */
  assumed_model: string | undefined
}

type Place = Pick<Source, 'url' | 'page'>

export type Row = {
  is_agent: boolean
  agent_name: string | null
  has_vector: boolean
  model: string
  /** A cosine of `unlike` is unrelated to the question; one that is higher by `reach` answers it. */
  unlike: number | null
  reach: number | null
  semantic: number
  keyword: number
} & ((Omit<FoundHit, 'scores' | 'source'> & Place) | { chunk_id: null })

/**
 * Searches for all hypotheses; a chunk has its best score over them. Returns the one with the proven value, then the best
 * first, ties by document and index, seen ones behind others as good (`unseenFirst`), and as many as fit into a response, at least one if
 * any. @throws ApiError agent_not_found
 */
export async function search(
  db: Database,
  scope: AgentScope,
  mode: Mode,
  hypotheses: readonly Asked[],
  filters: Filters,
  models: Models = { asked_model: undefined, assumed_model: undefined },
): Promise<Found> {
  const { min_score = -1, seen } = filters
  const limit = Math.max(filters.limit, comparedHits) + furtherHits(seen)
  // Hypotheses with very many terms take several calls.
  const calls = questionsOf(scope, mode, hypotheses, { ...filters, limit }).map(
    (question) => sql<Row>`select * from answers(${asQuestion({ ...question, ...models, max_bytes: payloadLimit })})`,
  )
  const all: Row[][] = Object.values(
    await db.batch(Object.fromEntries(calls.entries()) as Record<string, Statement<Row>>),
  )
  if (!all[0]![0]!.is_agent) agentNotFound()
  const found = toFound(all, mode, hypotheses, filters)
  const hits = found.hits.filter(({ score }) => score >= min_score).slice(0, filters.limit)
  return hits.length > 0 ? { ...found, hits } : { ...found, hits, ...withoutHits(found.answerable !== null) }
}

/** Converts the rows of the database function `answers`, and judges the best hits. */
export function toFound(
  calls: readonly Row[][],
  mode: Mode,
  hypotheses: readonly Asked[],
  { history = [], seen }: Pick<Filters, 'history' | 'seen'>,
): Found {
  const asked = hypotheses.flatMap(({ query, inContext = query }) =>
    query === undefined ? [] : [{ query, inContext }],
  )
  const queries = [...new Set(asked.flatMap(({ query, inContext }) => [query, inContext!]))]
  const { agent_name, model, unlike, reach } = calls[0]![0]!
  const hasVector = calls.every(([row]) => row!.has_vector)
  const likenessOf = (cosine: number) => Math.min(1, Math.max(0, (cosine - (unlike ?? 0)) / (reach ?? 1)))
  const ordered = calls.map((rows) => {
    const hits = rows.flatMap(toHit)
    return mode === 'hybrid' && hasVector ? orderedByRuns(queries, hits) : hits
  })
  const hits = unseenFirst(queries, ordered.length > 1 ? merged(ordered.flat()) : ordered[0]!, seen)
  const readings = asked.map(({ query }) => ({ query, history }))
  const scale = mode === 'hybrid' && !hasVector ? 'keyword' : mode
  const judgement = judge(
    { queries, readings, agentName: agent_name ?? '' },
    scale,
    hits.slice(0, comparedHits),
    likenessOf,
  )
  return { hits: provenFirst(hits, judgement.value), ...judgement, hasVector, model, likenessOf }
}

function toHit({ is_agent, agent_name, has_vector, model, unlike, reach, semantic, keyword, ...hit }: Row): FoundHit[] {
  return hit.chunk_id === null ? [] : [{ ...withSource(hit), scores: { semantic, keyword } }]
}

/** Adds the source of a hit. */
function withSource<Placed extends Omit<Hit, 'source' | 'scores'> & Place>({ url, page, ...hit }: Placed) {
  const headings = Array.isArray(hit.metadata.headings) ? hit.metadata.headings : []
  const heading: unknown = headings.at(-1)
  const source = { title: hit.document_title, url, page, heading: typeof heading === 'string' ? heading : null }
  return { ...hit, source }
}

/** The hits of several calls, each with its best score, best first. */
function merged(hits: readonly FoundHit[]): FoundHit[] {
  const best = new Map<string, FoundHit>()
  for (const hit of hits) if ((best.get(hit.chunk_id)?.score ?? -2) < hit.score) best.set(hit.chunk_id, hit)
  const place = (hit: Hit) => `${hit.document_id} ${String(hit.chunk_index).padStart(7, '0')}`
  return [...best.values()].sort((a, b) => b.score - a.score || (place(a) < place(b) ? -1 : 1))
}

/** Puts the passage with the proven value first: no other has more of the question's words. Scores stay the same. */
function provenFirst<Found extends Pick<Hit, 'chunk_id'>>(hits: Found[], value: Value | null): Found[] {
  const proven = hits.filter(({ chunk_id }) => chunk_id === value?.chunk_id)
  return [...new Set([...proven, ...hits])]
}

import { sql } from 'kysely'
import type { AgentScope } from '../../database/scope.ts'
import type { DocumentId } from '../../ids.ts'
import { keyOf } from '../../terms/terms.ts'
import { type KeywordQuery, keywordQuery, maxSlots, probesOf, termsSaid } from '../keyword/keyword-query.ts'
import { type QueryVectorKey, questionVector } from '../query-vector/query-vectors.ts'
import type { Mode } from '../schemas.ts'

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
  /** Words that texts may have for the days that the query names: they are sought, too, but have no part in its vector. */
  words?: string | undefined
  /** The query with the turns before it: see `inContext`. */
  inContext?: string | undefined
  vector?: ArrayLike<number> | undefined
  /** The key of its stored vector or, if `vector` is given, the key under which to store it. */
  key?: QueryVectorKey | undefined
}

/** The arguments of `answers` in infra/migrations/search: one, unless the hypotheses have too many terms for it. */
export function questionsOf(scope: AgentScope, mode: Mode, hypotheses: readonly Asked[], filters: Filters) {
  return toCalls(mode, hypotheses).map((call) => toQuestion(scope, mode, call, filters))
}

/** Words of turns further back weigh less than a tenth, and cost time. */
const heardTurns = 3

interface Call {
  asked: Asked[]
  words: (KeywordQuery | undefined)[]
  terms: Set<string>
}

function toCalls(mode: Mode, hypotheses: readonly Asked[]): Call[] {
  const calls: Call[] = []
  for (const each of hypotheses) {
    const words =
      mode !== 'semantic' && each.query !== undefined
        ? keywordQuery([each.query, each.words].filter(Boolean).join(' '))
        : undefined
    const last = calls.at(-1)
    const terms = new Set([...(last?.terms ?? []), ...(words?.terms ?? [])])
    if (last && terms.size <= maxSlots) {
      last.asked.push(each)
      last.words.push(words)
      last.terms = terms
    } else calls.push({ asked: [each], words: [words], terms: new Set(words?.terms) })
  }
  return calls
}

function toQuestion(
  { organizationId, agentId }: AgentScope,
  mode: Mode,
  { asked, words, terms }: Call,
  { limit, document_ids, metadata, document_metadata, as_of, history }: Filters,
) {
  return {
    mode,
    organization: organizationId,
    agent: agentId,
    documents: document_ids,
    metadata,
    document_metadata,
    as_of,
    earlier: history?.slice(-heardTurns).toReversed().map(termsSaid),
    hit_limit: limit,
    vectors: mode === 'keyword' ? [] : asked.map(toVector),
    ...askedWords(words, [...terms]),
  }
}

function toVector({ key, vector }: Asked) {
  const { embedding, cosine_per_unit: scale, ...sketch } = vector ? questionVector(vector) : {}
  return { key: key && `\\x${key.toString('hex')}`, vector: embedding, ...sketch, scale }
}

/** @param terms those of all hypotheses, which share the slots */
export function askedWords(questions: (KeywordQuery | undefined)[], terms: string[]) {
  if (terms.length === 0) return {}
  const slotOf = new Map(terms.map((term, slot) => [term, slot]))
  return {
    terms: questions.flatMap((question, i) =>
      (question?.entries ?? []).map(({ group, way, slot, weight, isFallback }) => ({
        hypothesis: i + 1,
        grp: group,
        way,
        slot: slotOf.get(question!.terms[slot]!)!,
        weight,
        is_fallback: isFallback,
        is_required: question!.required[group]!,
      })),
    ),
    keys_of_slots: terms.map(keyOf),
    probes: probesOf(terms),
    keyword_weight: questions.find((question) => question)?.weight,
  }
}

/** A value of the type `question` in infra/migrations. */
export function asQuestion(values: object) {
  return sql`jsonb_populate_record(null::question, ${JSON.stringify(values)})`
}

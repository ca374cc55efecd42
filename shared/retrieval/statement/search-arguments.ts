import { sql } from 'kysely'
import type { AgentScope } from '../../database/scope.ts'
import type { DocumentId } from '../../ids.ts'
import { keyOf } from '../../terms/terms.ts'
import { type KeywordQuery, keywordQuery, maxSlots, probesOf } from '../keyword/keyword-query.ts'
import { type QueryVectorKey, storedQuery } from '../query-vector/query-vectors.ts'
import type { Mode } from '../schemas.ts'

export interface Filters {
  limit: number
  min_score?: number | undefined
  document_ids?: DocumentId[] | undefined
  metadata?: Record<string, unknown> | undefined
  /** What the metadata of a hit's document must contain. */
  document_metadata?: Record<string, unknown> | undefined
  /** When documents must be valid; now unless given. */
  as_of?: string | undefined
}

/** One hypothesis of what was asked. */
export interface Asked {
  query?: string | undefined
  vector?: ArrayLike<number> | undefined
  /** The key under which its vector is stored, if there is none here, or else is to be stored. */
  key?: QueryVectorKey | undefined
}

export type SearchArguments = ReturnType<typeof toArguments>

/** The arguments of the functions in infra/migrations/search, by name: of one call, unless the hypotheses have too many terms for it. */
export function searchArguments(scope: AgentScope, mode: Mode, hypotheses: readonly Asked[], filters: Filters) {
  return toCalls(mode, hypotheses).map((call) => toArguments(scope, mode, call, filters))
}

interface Call {
  asked: Asked[]
  words: (KeywordQuery | undefined)[]
  terms: Set<string>
}

function toCalls(mode: Mode, hypotheses: readonly Asked[]): Call[] {
  const calls: Call[] = []
  for (const each of hypotheses) {
    const words = mode !== 'semantic' && each.query !== undefined ? keywordQuery(each.query) : undefined
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

function toArguments(
  { organizationId, agentId }: AgentScope,
  mode: Mode,
  { asked, words, terms }: Call,
  { limit, document_ids, metadata, document_metadata, as_of }: Filters,
) {
  return {
    mode,
    organization: organizationId,
    agent: agentId,
    chosen: document_ids,
    wanted: metadata && JSON.stringify(metadata),
    ...(document_metadata && { wanted_of_document: JSON.stringify(document_metadata) }),
    as_of,
    hit_limit: limit,
    ...vectorArguments(mode === 'keyword' ? [] : asked),
    ...wordArguments(words, [...terms]),
  }
}

function vectorArguments(asked: readonly Asked[]) {
  const stored = asked.map(({ vector }) => storedQuery(vector))
  return {
    keys: asked.some(({ key }) => key) ? asked.map(({ key }) => key && `\\x${key.toString('hex')}`) : undefined,
    vectors: stored.map(({ vector }) => vector ?? null),
    highs: stored.map(({ high }) => high ?? null),
    middles: stored.map(({ middle }) => middle ?? null),
    lows: stored.map(({ low }) => low ?? null),
    scales: stored.map(({ cosinePerUnit }) => cosinePerUnit ?? null),
  }
}

/** @param terms those of all hypotheses, which share the slots */
export function wordArguments(questions: (KeywordQuery | undefined)[], terms: string[]) {
  const [probe1, probe2, probe3] = probesOf(terms)
  const slotOf = new Map(terms.map((term, slot) => [term, slot]))
  const entries = questions.flatMap((question, i) =>
    question ? question.groups.map((group, entry) => ({ question, hypothesis: i + 1, group, entry })) : [],
  )
  return {
    probe1,
    probe2,
    probe3,
    hypotheses: entries.map(({ hypothesis }) => hypothesis),
    groups: entries.map(({ group }) => group),
    ways: entries.map(({ question, entry }) => question.ways[entry]!),
    slots: entries.map(({ question, entry }) => slotOf.get(question.terms[question.slots[entry]!]!)!),
    weights: entries.map(({ question, entry }) => question.weights[entry]!),
    fallbacks: entries.map(({ question, entry }) => question.fallbacks[entry]!),
    required: entries.map(({ question, group }) => question.required[group]!),
    terms: terms.map(keyOf),
    keyword_weight: entries[0]?.question.weight,
  }
}

/** `name => value, …` */
export function named(values: Record<string, unknown>) {
  return sql.join(Object.entries(values).map(([name, value]) => sql`${sql.id(name)} => ${value ?? null}`))
}

import type { Expected, Question } from '../../infra/client/questions/questions-file.ts'
import { maxTurns } from '../../shared/retrieval/heard.ts'
import type { Hit, Value } from '../../shared/retrieval/schemas.ts'
import type { Before } from './labelled-set.ts'
import type { Rank } from './metrics.ts'

export const modes = ['hybrid', 'semantic', 'keyword'] as const
export type Mode = (typeof modes)[number]

/** Longer than any search takes, because the evaluation judges hits, not times. */
const deadlineMilliseconds = 10_000

export type Found = Pick<Hit, 'document_title' | 'content' | 'score'>

/** The number of hits that a search requests. */
const depth = 10

interface SearchRequest {
  query: string
  mode: Mode
  limit: number
  deadline_ms: number
  as_of?: string
  history?: string[]
  /** Titles of documents. */
  seen?: string[]
}

export interface SearchAnswer {
  data: Found[]
  /** How, such as `keyword_only`. */
  degraded: string | null
  answerable: number | null
  status: string
  value: Value | null
  dates: { said: string; from: string; to: string }[]
}

/** One search of one agent. */
export type Search = (request: SearchRequest) => Promise<SearchAnswer>

export interface Answer extends Question {
  mode: Mode
  /** undefined for a question that has no answer, too. */
  rank: Rank
  /** The best hit. */
  first: Found | undefined
  /** The rank of the first hit from the right document, even if its passage is wrong. */
  documentRank: Rank
  isDegraded: boolean
  /** The system's probability that the best hit is right. */
  answerable: number | null
}

/**
 * Each question in every mode, one search after the other: the system may be answering callers.
 * @param asked called after each question @param before by the id of a question, what its call was before it
 */
export async function askAll(
  search: Search,
  questions: readonly Question[],
  asked: () => void,
  before: Readonly<Record<string, Before>> = {},
): Promise<Answer[]> {
  const answers: Answer[] = []
  for (const question of questions) {
    for (const mode of modes) answers.push(await ask(search, question, mode, before[question.id]))
    asked()
  }
  return answers
}

async function ask(search: Search, question: Question, mode: Mode, before?: Before): Promise<Answer> {
  const { expected, question: query } = question
  const latest = before && { ...before, history: before.history.slice(-maxTurns) }
  const { data, degraded, answerable } = await search({
    query,
    mode,
    limit: depth,
    deadline_ms: deadlineMilliseconds,
    ...latest,
  })
  return {
    ...question,
    mode,
    rank: expected && rankOf(data, expected),
    first: data[0],
    documentRank: expected?.title === undefined ? undefined : rankOf(data, { ...expected, words: undefined }),
    isDegraded: degraded !== null,
    answerable,
  }
}

/** @returns the place of the first right hit, 1 for the best; undefined when none is right */
export function rankOf(found: readonly Found[], expected: Expected): number | undefined {
  const place = found.findIndex((hit) => isRight(hit, expected))
  return place < 0 ? undefined : place + 1
}

function isRight(hit: Found, { title, words }: Expected): boolean {
  return (
    (title === undefined || normalized(hit.document_title) === normalized(title)) &&
    (words === undefined || normalized(hit.content).includes(normalized(words)))
  )
}

/** Ignores line breaks, because people copy the right words from a page that breaks its lines elsewhere. */
export function normalized(text: string): string {
  return text.normalize('NFC').replaceAll(/\s+/g, ' ').trim().toLowerCase()
}

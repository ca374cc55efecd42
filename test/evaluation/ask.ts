import { depth, type Found, rankOf } from './judge.ts'
import type { Rank } from './metrics.ts'
import type { Question } from './questions.ts'

export const modes = ['hybrid', 'semantic', 'keyword'] as const
export type Mode = (typeof modes)[number]

/** Longer than any search takes: what is judged is what it finds, not when. */
const deadlineMilliseconds = 10_000

export interface SearchRequest {
  query: string
  mode: Mode
  limit: number
  deadline_ms: number
}

export interface SearchAnswer {
  data: Found[]
  /** How, such as `keyword_only`. */
  degraded: string | null
}

/** One search of one agent. */
export type Search = (request: SearchRequest) => Promise<SearchAnswer>

export interface Answer extends Question {
  mode: Mode
  /** undefined for a question that has no answer, too. */
  rank: Rank
  /** The best hit. */
  first: Found | undefined
  /** The place of a hit from the right document, right or not. */
  documentRank: Rank
  isDegraded: boolean
}

/**
 * Each question in every mode, one search after the other: the system may be answering callers.
 * @param asked called after each question
 */
export async function askAll(search: Search, questions: readonly Question[], asked: () => void): Promise<Answer[]> {
  const answers: Answer[] = []
  for (const question of questions) {
    for (const mode of modes) answers.push(await ask(search, question, mode))
    asked()
  }
  return answers
}

async function ask(search: Search, question: Question, mode: Mode): Promise<Answer> {
  const { expected, question: query } = question
  const { data, degraded } = await search({ query, mode, limit: depth, deadline_ms: deadlineMilliseconds })
  return {
    ...question,
    mode,
    rank: expected && rankOf(data, expected),
    first: data[0],
    documentRank: expected?.title === undefined ? undefined : rankOf(data, { ...expected, words: undefined }),
    isDegraded: degraded !== null,
  }
}

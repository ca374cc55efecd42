import { answerable, type Level, levelOf } from './answerable.ts'
import { coverageOf } from './coverage.ts'
import type { Hit, Mode, Value } from './schemas.ts'
import { findValue, type Reading } from './value/value.ts'

/** What an answer says of its hits. */
export interface Judgement {
  /** The probability that the first hit answers; null in a search by a vector only. */
  answerable: number | null
  status: Level
  /** The table cell that answers; null without a proof. */
  value: Value | null
}

/** Maps a cosine to 0 for a text that is unrelated to the question, and to 1 for one that answers it. */
export type LikenessOf = (cosine: number) => number

interface Heard {
  /** The hypotheses, alone and in context. */
  queries: readonly string[]
  readings: readonly Reading[]
}

/** Judges the best hits, before `limit`, `min_score` and the response's size cut them, so that all callers get the same. */
export function judge(
  { queries, readings }: Heard,
  mode: Mode,
  hits: readonly Hit[],
  likenessOf: LikenessOf,
): Judgement {
  if (queries.length === 0) return { answerable: null, status: levelOf(hits.length, null), value: null }
  const probability = answerableBy(queries, mode, hits, likenessOf)
  return { answerable: probability, status: levelOf(hits.length, probability), value: findValue(readings, hits) }
}

/** The probability for the hypothesis that the first hit answers most likely. */
function answerableBy(queries: readonly string[], mode: Mode, hits: readonly Hit[], likenessOf: LikenessOf): number {
  const likenesses = hits.map(({ scores }) => (scores.semantic === null ? 0 : likenessOf(scores.semantic)))
  const [score, next = 0] = mode === 'semantic' ? likenesses : hits.map((hit) => hit.score)
  if (score === undefined) return 0
  const texts = hits.map(({ document_title, content }) => `${document_title} ${content}`)
  const by = (query: string) =>
    answerable(mode, { score, next, likeness: likenesses[0]!, coverage: coverageOf(query, texts) })
  return Math.max(...queries.map(by))
}

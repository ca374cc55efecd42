import * as v from 'valibot'
import type { ChunkSize } from '../../../shared/chunking/chunker.ts'
import type { Database } from '../../../shared/database/database.ts'
import type { Embedder } from '../../../shared/embedding/embedder.ts'
import { startTiming } from '../../../shared/http/server-timing.ts'
import { documentId } from '../../../shared/ids.ts'
import type { AnswerQuestion, PayingAgent } from '../../../shared/retrieval/answer.ts'
import type { Level } from '../../../shared/retrieval/answerable.ts'
import { systemClock } from '../../../shared/retrieval/clock.ts'
import { explainWords, type Presence, type SoughtWord } from '../../../shared/retrieval/explanation/sought-words.ts'
import { findStanding, type Standing } from '../../../shared/retrieval/explanation/standing.ts'
import { type Hit, searchModes } from '../../../shared/retrieval/schemas.ts'
import { timeouts } from '../../../shared/retrieval/timeouts.ts'
import { saidOf } from '../../../shared/retrieval/value/value.ts'
import { oneLine } from '../forms.ts'
import { isWallTime } from '../times.ts'
import type { Expected } from '../titles.ts'
import { pastAnswer } from './past.ts'

const maxCharacters = 1000
const shortened = v.transform((text: string) => [...oneLine(text)].slice(0, maxCharacters).join(''))
const text = v.pipe(v.optional(v.string(), ''), shortened)

export const askQuery = v.object({
  q: text,
  mode: v.fallback(v.picklist(searchModes), 'hybrid'),
  /** What calendar and clock show when callers would ask; now unless given. */
  at: v.fallback(v.optional(v.pipe(v.string(), v.check(isWallTime))), undefined),
  document: v.fallback(v.optional(documentId), undefined),
  title: text,
})
export type AskQuery = v.InferOutput<typeof askQuery>

/** A voice agent gets the same number. */
const passagesPerQuestion = 5

export interface Passage {
  hit: Hit
  /** From 0, unrelated to the question, to 1; undefined where meaning was not compared. */
  likeness: number | undefined
  presences: Presence[]
}

/** A question asked as a voice agent asks it, and not kept. */
export interface Trial {
  passages: Passage[]
  level: Level
  /** The cell of a table that answers, as an agent gets it first. */
  value: string | undefined
  words: SoughtWord[]
  /** Whether search by words was used, even if the question has no words to search for. */
  isByWords: boolean
  isDegraded: boolean
  milliseconds: { total: number; embed: number; db: number }
  compared: Compared | undefined
}

export interface Compared extends Omit<Standing, 'best'>, Expected {
  best: { passage: Passage; place: number } | undefined
}

/** Tries questions out. They throw ApiError agent_not_found, validation_failed; Unavailable. */
export function trials(embedder: Embedder, chunkSize: ChunkSize, answer: AnswerQuestion) {
  return async function tryOut(
    db: Database,
    scope: PayingAgent,
    { q: query, mode }: AskQuery,
    expected: Expected | undefined,
    asOf: string | undefined,
  ): Promise<Trial> {
    const timing = startTiming(systemClock)
    const question = {
      ...{ query, mode, as_of: asOf },
      ...{ limit: passagesPerQuestion, deadline_ms: timeouts.deadlineMilliseconds },
    }
    const isPast = mode === 'hybrid' && asOf !== undefined && Date.parse(asOf) < Date.now()
    const past = isPast ? await pastAnswer({ db, embedder, chunkSize }, scope, { ...question, asOf }) : undefined
    const { data, status, value, degraded, likenessOf } =
      past ?? (await answer(db, { ...scope, logsQuestions: false }, question, timing))
    const total = systemClock.now() - timing.arrivedAt
    const scale = degraded ? 'keyword' : mode
    const standing =
      expected && (await findStanding(db, embedder, scope, { query, mode: scale, documentId: expected.id, asOf }))
    const shown = [...data, ...(standing?.best ? [standing.best.hit] : [])]
    const { words, presencesIn } =
      scale === 'semantic' ? { words: [], presencesIn: () => [] } : await explainWords(db, scope, query, shown, asOf)
    const toPassage = (hit: Hit): Passage => {
      const likeness = hit.scores.semantic === null ? undefined : likenessOf(hit.scores.semantic)
      return { hit, likeness, presences: presencesIn(hit) }
    }
    return {
      passages: data.map(toPassage),
      level: status,
      value: status === 'nothing' ? undefined : saidOf(data, value),
      words,
      isByWords: scale !== 'semantic',
      isDegraded: degraded !== null,
      milliseconds: { total, ...timing.spent },
      compared: expected &&
        standing && {
          ...expected,
          ...standing,
          best: standing.best && { place: standing.best.place, passage: toPassage(standing.best.hit) },
        },
    }
  }
}

import * as v from 'valibot'
import type { Database } from '../../../shared/database/database.ts'
import { type DocumentScope, isDocument } from '../../../shared/database/scope.ts'
import { startTiming } from '../../../shared/http/server-timing.ts'
import { documentId } from '../../../shared/ids.ts'
import type { AnswerQuestion, PayingAgent } from '../../../shared/retrieval/answer.ts'
import { systemClock } from '../../../shared/retrieval/clock.ts'
import { explainWords } from '../../../shared/retrieval/explanation/sought-words.ts'
import { searchModes } from '../../../shared/retrieval/schemas.ts'
import { heardOf } from '../../../shared/retrieval/speech/speech.ts'
import { timeouts } from '../../../shared/retrieval/timeouts.ts'
import { oneLine } from '../forms.ts'
import { isWallTime } from '../times.ts'

const maxCharacters = 1000
/** A voice agent gets the same number. */
const passagesPerQuestion = 5

export const askQuery = v.object({
  q: v.pipe(
    v.optional(v.string(), ''),
    v.transform((text) => [...oneLine(text)].slice(0, maxCharacters).join('')),
  ),
  mode: v.fallback(v.picklist(searchModes), 'hybrid'),
  /** The date and time of the agent's zone at which callers would ask; now if absent. */
  at: v.fallback(v.optional(v.pipe(v.string(), v.check(isWallTime))), undefined),
  /** A document that was just saved. */
  saved: v.fallback(v.optional(documentId), undefined),
})
export type AskQuery = v.InferOutput<typeof askQuery>

/** The answer to a trial question, with its explanation. */
export type Trial = Awaited<ReturnType<typeof tryOut>>

/** @throws ApiError agent_not_found, validation_failed, rate_limited; Unavailable */
export async function tryOut(
  answer: AnswerQuestion,
  db: Database,
  scope: PayingAgent,
  { q: query, mode }: AskQuery,
  asOf: string | undefined,
) {
  const timing = startTiming(systemClock)
  const { data, status, value, dates, dispute, degraded, sought, likenessOf } = await answer(
    db,
    { ...scope, logsQuestions: false },
    { query, mode, as_of: asOf, limit: passagesPerQuestion, deadline_ms: timeouts.deadlineMilliseconds },
    timing,
  )
  const total = systemClock.now() - timing.arrivedAt
  const isByWords = mode !== 'semantic'
  const { words, presencesIn } = isByWords
    ? await explainWords(db, scope, query, asOf)
    : { words: [], presencesIn: () => [] }
  return {
    status,
    value,
    /** The days that the question names, in the agent's time zone. */
    dates,
    dispute,
    /** The answer that a caller would hear, with its source. Undefined if nothing was found. */
    heard: status === 'nothing' ? undefined : heardOf(`${query} ${sought}`, data, value),
    /** The parts found, each with its share of each word. `likeness`: from 0 to 1, undefined if meaning wasn't compared. */
    passages: data.map((hit) => ({
      hit,
      likeness: hit.scores.semantic === null ? undefined : likenessOf(hit.scores.semantic),
      presences: presencesIn(hit),
    })),
    words,
    isEmpty: isByWords && words.length === 0 && status !== 'found',
    isDegraded: degraded !== null,
    milliseconds: { total, ...timing.spent },
  }
}

/** The title of a document while it is processed. */
export async function titleInWork(db: Database, scope: DocumentScope): Promise<string | undefined> {
  const found = await db
    .selectFrom('documents as d')
    .select('d.title')
    .where(isDocument(scope))
    .where('d.status', 'in', ['pending', 'processing'])
    .executeTakeFirst()
  return found?.title
}

import * as v from 'valibot'
import type { Database } from '../../../shared/database/database.ts'
import { startTiming } from '../../../shared/http/server-timing.ts'
import { documentId } from '../../../shared/ids.ts'
import { asksAddress } from '../../../shared/retrieval/address.ts'
import type { AnswerQuestion, PayingAgent } from '../../../shared/retrieval/answer.ts'
import { systemClock } from '../../../shared/retrieval/clock.ts'
import { soughtWords } from '../../../shared/retrieval/explanation/sought-words.ts'
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
  /** The date and time of the agent's zone at which callers would ask; now if absent. */
  at: v.fallback(v.optional(v.pipe(v.string(), v.check(isWallTime))), undefined),
  /** The document that was written for the question: it is asked once that is ready. */
  after: v.fallback(v.optional(documentId), undefined),
})
export type AskQuery = v.InferOutput<typeof askQuery>

/** The answer to a trial question, with its explanation. */
export type Trial = Awaited<ReturnType<typeof tryOut>>

/** @throws ApiError agent_not_found, validation_failed, rate_limited; Unavailable */
export async function tryOut(
  answer: AnswerQuestion,
  db: Database,
  scope: PayingAgent,
  query: string,
  asOf: string | undefined,
) {
  const { data, status, value, dates, dispute, degraded, sought } = await answer(
    db,
    { ...scope, logsQuestions: false },
    {
      query,
      mode: 'hybrid',
      as_of: asOf,
      limit: passagesPerQuestion,
      deadline_ms: timeouts.deadlineMilliseconds,
    },
    startTiming(systemClock),
  )
  const words = await soughtWords(db, scope, query, asOf)
  return {
    status,
    value,
    /** The days that the question names, in the agent's time zone. */
    dates,
    dispute,
    /** The answer that a caller would hear, with its source. Undefined if nothing was found. */
    heard: status === 'nothing' ? undefined : heardOf(`${query} ${sought}`, data, value),
    /** The parts found, best first. */
    passages: data,
    words,
    isEmpty: words.length === 0 && status === 'nothing' && !asksAddress(query),
    isDegraded: degraded !== null,
  }
}

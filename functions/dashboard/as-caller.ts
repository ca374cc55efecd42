import type { Database } from '../../shared/database/database.ts'
import { startTiming, type Timing } from '../../shared/http/server-timing.ts'
import type { AnswerQuestion, PayingAgent, Question } from '../../shared/retrieval/answer.ts'
import { systemClock } from '../../shared/retrieval/clock.ts'
import { timeouts } from '../../shared/retrieval/timeouts.ts'

/** A voice agent gets the same number. */
const passagesPerQuestion = 5

/** Asks what a caller's agent would, without saving the question. @throws ApiError agent_not_found, validation_failed, rate_limited; Unavailable */
export function askAsCaller(
  answer: AnswerQuestion,
  db: Database,
  scope: PayingAgent,
  question: Pick<Question, 'query' | 'mode' | 'as_of'> & { deadline_ms?: number },
  timing: Timing = startTiming(systemClock),
) {
  const usual = { limit: passagesPerQuestion, deadline_ms: timeouts.deadlineMilliseconds }
  return answer(db, { ...scope, logsQuestions: false }, { ...usual, ...question }, timing)
}

import type { Database } from '../../shared/database/database.ts'
import type { Timing } from '../../shared/http/server-timing.ts'
import type { AnswerQuestion, AskedAgent } from '../../shared/retrieval/answer.ts'
import { advice } from '../../shared/retrieval/answerable.ts'
import type { Format, Hit } from '../../shared/retrieval/schemas.ts'
import { findServing, requireServing } from '../../shared/retrieval/serving.ts'
import { saidOf } from '../../shared/retrieval/speech/speech.ts'
import { timeouts } from '../../shared/retrieval/timeouts.ts'

export interface Consultation {
  hits: Hit[]
  /** The beginning of the answer: the table cell that answers. */
  value: string | undefined
  /** “Today is Thursday, 24 December 2026.”, so that a model that does not know the date reads “on December 24” rightly; undefined unless the question names a day. */
  today: string | undefined
  /** Advice for the model if the hits may not answer. */
  message: string | undefined
  /** The text for a model if there are no hits. @throws ApiError agent_not_found; Unavailable */
  nothing(): Promise<string>
}

export interface Asked {
  query: string
  alternatives?: string[]
  /** The caller's earlier turns, oldest first. */
  history: string[]
  limit: number
  deadline_ms: number
  max_heard?: number
  call_id?: string | undefined
  document_metadata?: Record<string, unknown> | undefined
  format?: Format | undefined
}

export const byTool = { limit: 5, deadline_ms: timeouts.deadlineMilliseconds }

/** Leaves out passages without a score: they have nothing of the question, but a model would read them to the caller. */
const min_score = 0.01

/** @throws ApiError agent_not_found, validation_failed for a question that the embedding provider refuses; Unavailable */
export async function consult(
  answer: AnswerQuestion,
  db: Database,
  scope: AskedAgent,
  asked: Asked,
  timing: Timing,
): Promise<Consultation> {
  const { data, status, value, today } = await answer(db, scope, { ...asked, mode: 'hybrid', min_score }, timing)
  const hits = status === 'nothing' ? [] : data
  const said = saidOf(hits, value)
  return {
    hits,
    value: said,
    today: today && `Today is ${today}.`,
    message: said ? undefined : advice[status],
    async nothing() {
      const { agents } = await timing.measure('db', () => db.batch({ agents: findServing(scope) }))
      return requireServing(agents)
        ? advice.nothing!
        : 'The knowledge base has no ready documents: there is nothing to consult.'
    },
  }
}

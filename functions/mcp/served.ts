import type { Batch, Database } from '../../shared/database/database.ts'
import type { Timing } from '../../shared/http/server-timing.ts'
import type { Answer, AnswerQuestion, AskedAgent } from '../../shared/retrieval/answer.ts'
import type { Clock } from '../../shared/retrieval/clock.ts'
import { findServing, requireServing } from '../../shared/retrieval/serving.ts'
import type { Timeouts } from '../../shared/retrieval/timeouts.ts'
import { findPassages } from './find-passages.ts'
import type { Passage } from './passages.ts'
import type { Place, SearchArguments } from './schemas.ts'

export interface Question extends SearchArguments {
  mode: 'hybrid'
  limit: number
  document_metadata?: Record<string, unknown> | undefined
  call_id?: string | undefined
}

/** What the tools read of an agent. Each function may throw ApiError and Unavailable. */
export interface Served {
  answer(question: Question): Promise<Pick<Answer, 'data' | 'degraded' | 'status' | 'value' | 'today'>>
  /** The passage and its neighbours, in order; none if search does not serve it, or its document lacks the metadata. */
  passagesAt(place: Place, metadata?: Record<string, unknown>): Passage[] | Promise<Passage[]>
  /** False if search serves nothing of the agent. */
  isServing(): boolean | Promise<boolean>
}

interface Dependencies {
  db: Database
  scope: AskedAgent
  timing: Timing
  answer: AnswerQuestion
  clock: Clock
  limits: Timeouts
}

/** Reads the agent from the database, in one round trip a function unless it must be loaded, and breaks that off at the deadline. */
export function servedByDatabase({ db, scope, timing, answer, clock, limits }: Dependencies): Served {
  async function ask<const Q extends Batch>(statements: Q) {
    const rest = timing.arrivedAt + limits.deadlineMilliseconds + limits.graceMilliseconds - clock.now()
    return await timing.measure('db', () => db.within(rest / 1000).batch(statements))
  }

  return {
    answer: (question) => answer(db, scope, { ...question, deadline_ms: limits.deadlineMilliseconds }, timing),
    passagesAt: async (place, metadata) => (await ask({ passages: findPassages(scope, place, metadata) })).passages,
    isServing: async () => requireServing((await ask({ agents: findServing(scope) })).agents),
  }
}

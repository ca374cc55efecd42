import { sql } from 'kysely'
import type { Database } from '../database/database.ts'
import type { AgentScope } from '../database/scope.ts'
import type { KeptHit, Tables } from '../database/tables.ts'
import { newId } from '../ids.ts'
import { describeError, log } from '../telemetry/log.ts'
import { report } from '../telemetry/metrics.ts'
import { asksAddress } from './address.ts'
import type { Level } from './answerable.ts'
import { toKeptHit } from './found.ts'
import { hasTerms } from './in-context.ts'
import type { Value } from './schemas.ts'

interface AnsweredQuestion {
  text: string
  callId?: string | undefined
  mode: Tables['question_log']['mode']
  isDegraded: boolean
  /** Best first, as they were found. */
  hits: readonly KeptHit[]
  answerable: number
  status: Level
  value: Value | null
  milliseconds: number
}

const maxCharacters = 500

/** The question's row in the log, which still lacks an id. Undefined if what is kept of its text seeks nothing. */
export function toRow(
  { organizationId, agentId }: AgentScope,
  { text, callId, isDegraded, hits, value, ...how }: AnsweredQuestion,
) {
  const question = [...text.trim()].slice(0, maxCharacters).join('')
  if (!hasTerms(question) && !asksAddress(question)) return undefined
  return {
    organization_id: organizationId,
    agent_id: agentId,
    question,
    call_id: callId ?? null,
    ...how,
    is_degraded: isDegraded,
    hits: JSON.stringify(hits.map(toKeptHit)),
    value: value && JSON.stringify(value),
  }
}

/** Adds a question with searchable words to the organization's log. Never fails, and takes `withinMilliseconds` at most. */
export async function keepQuestion(
  db: Database,
  scope: AgentScope,
  question: AnsweredQuestion,
  withinMilliseconds: number,
): Promise<void> {
  const row = toRow(scope, question)
  if (!row) return
  try {
    if (withinMilliseconds <= 0) throw new Error('No time is left before the deadline')
    await db
      .within(withinMilliseconds / 1000)
      .insertInto('question_log')
      .values({ ...row, id: newId() })
      .onConflict((conflict) => conflict.doNothing())
      .returning(sql`set_config('synchronous_commit', 'off', true)`.as('unsynchronized'))
      .execute()
  } catch (error) {
    log.warn('question_not_kept', {
      organization_id: scope.organizationId,
      agent_id: scope.agentId,
      error: describeError(error),
    })
    report({ QuestionsNotKept: 1 })
  }
}

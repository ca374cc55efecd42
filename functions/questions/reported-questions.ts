import { sql } from 'kysely'
import type { Database } from '../../shared/database/database.ts'
import { type AgentScope, findAgent } from '../../shared/database/scope.ts'
import { agentNotFound, requireAgent } from '../../shared/http/not-found.ts'
import { toRow } from '../../shared/retrieval/keep-question.ts'
import type { ReportedQuestion } from './schemas.ts'

/** The sweeper deletes older questions. */
const maxAgeMilliseconds = 30 * 86_400_000

/**
 * Adds answered questions to the organization's log, unless it has them. It takes none that are too old or without searchable words,
 * none past its limit an hour, and none if the organization has switched it off.
 * @returns how many of the questions the log has @throws ApiError agent_not_found
 */
export async function keepReportedQuestions(
  db: Database,
  scope: AgentScope,
  questions: readonly ReportedQuestion[],
): Promise<number> {
  const rows = questions.flatMap(({ id, asked_at, question: text, call_id: callId, degraded, ...how }) => {
    if (Date.parse(asked_at) < Date.now() - maxAgeMilliseconds) return []
    const row = toRow(scope, { text, callId, isDegraded: degraded !== null, ...how })
    // The column has 32 bits, and refuses numbers that are too small for them.
    return row ? [{ ...row, id, asked_at, answerable: Math.fround(row.answerable) }] : []
  })
  if (rows.length === 0) {
    await requireAgent(db, scope)
    return 0
  }
  const { organizationId, agentId } = scope
  const ids = [...new Set(rows.map(({ id }) => id))]
  const { agents, stored } = await db.batch({
    agents: findAgent(scope),
    // One batch after the other, since the limit an hour counts only committed questions.
    locked: sql`select pg_advisory_xact_lock(hashtextextended(${organizationId}, 4))`,
    inserted: db
      .insertInto('question_log')
      .values(rows)
      .onConflict((conflict) => conflict.doNothing()),
    stored: sql<{ id: string }>`select id from question_log
      where organization_id = ${organizationId} and agent_id = ${agentId} and id = any(${ids}::uuid[])`,
  })
  if (agents.length === 0) agentNotFound()
  return stored.length
}

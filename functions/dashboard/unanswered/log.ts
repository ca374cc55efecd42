import { type SqlBool, sql } from 'kysely'
import { columnsOf } from '../../../shared/database/columns.ts'
import type { Database } from '../../../shared/database/database.ts'
import type { AgentScope } from '../../../shared/database/scope.ts'
import type { KeptHit } from '../../../shared/database/tables.ts'
import { isKept, isUnanswered } from '../../../shared/questions/questions.ts'
import { isLogOn } from '../question-log.ts'
import { groupQuestions } from './grouping.ts'

/** Only the newest are grouped, as each takes some tenths of a millisecond. */
const maxQuestions = 2000

export type UnansweredQuestion = {
  id: string
  question: string
  asked_at: Date
  call_id: string | null
  first_hit: KeptHit | null
}

export type Unanswered = Awaited<ReturnType<typeof readUnanswered>>

const q = columnsOf('question_log', 'q')

/** What callers asked of an agent in 30 days for which search found little, grouped by likeness. */
export async function readUnanswered(db: Database, scope: AgentScope) {
  const { settings, counts, questions } = await db.batch({
    settings: isLogOn(db, scope.organizationId),
    counts: db
      .selectFrom('question_log as q')
      .select(({ fn }) => [
        sql<number>`${fn.countAll()}::int`.as('asked'),
        sql<number>`${fn.countAll().filterWhere(isUnanswered)}::int`.as('unanswered'),
      ])
      .where(isKept(scope)),
    questions: newest(db, scope),
  })
  return { isOn: settings[0]!.log_questions, ...counts[0]!, groups: groupQuestions(questions) }
}

/** The newest unanswered ones, up to the question `last`: those that a page has grouped, without newer ones. */
function newest(db: Database, scope: AgentScope, last?: string) {
  return db
    .selectFrom('question_log as q')
    .select(['q.id', 'q.question', 'q.asked_at', 'q.call_id'])
    .select(sql<KeptHit | null>`${q.hits} -> 0`.as('first_hit'))
    .where(isKept(scope))
    .where(isUnanswered)
    .$if(last !== undefined, (query) => query.where('q.id', '<=', last!))
    .orderBy('q.id', 'desc')
    .limit(maxQuestions)
}

/** Deletes the group of question `first`, as a page whose newest question is `last` has shown it. @returns how many questions */
export async function deleteGroup(
  db: Database,
  scope: AgentScope,
  { first, last }: { first: string; last: string },
): Promise<number> {
  const groups = groupQuestions(await newest(db, scope, last).execute())
  const group = groups.find((group) => group.some(({ id }) => id === first)) ?? []
  if (group.length === 0) return 0
  return await deleteWhere(db, scope, sql`${q.id} = any(${group.map(({ id }) => id)}::uuid[])`)
}

export async function clearLog(db: Database, scope: AgentScope): Promise<number> {
  return await deleteWhere(db, scope, sql`true`)
}

async function deleteWhere(db: Database, { organizationId, agentId }: AgentScope, condition: ReturnType<typeof sql>) {
  const { numDeletedRows } = await db
    .deleteFrom('question_log as q')
    .where('q.organization_id', '=', organizationId)
    .where('q.agent_id', '=', agentId)
    .where(sql<SqlBool>`${condition}`)
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

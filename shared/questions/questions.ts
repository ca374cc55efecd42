import { type Selectable, type SqlBool, sql } from 'kysely'
import { columnsOf } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import type { AgentScope } from '../database/scope.ts'
import type { Tables } from '../database/tables.ts'
import { requireAgent } from '../http/not-found.ts'

/** A question as it was answered. Whether it is answered since is the dashboard's. */
export type KeptQuestion = Omit<
  Selectable<Tables['question_log']>,
  'organization_id' | 'agent_id' | 'asked_again_version' | 'answered_since'
>

interface QuestionFilters {
  call_id?: string | undefined
  answered?: boolean | undefined
  /** Asked at this time or later, and before `to`: RFC 3339. */
  from?: string | undefined
  to?: string | undefined
}

const q = columnsOf('question_log', 'q')

/** Leaves out expired questions that the sweeper has not deleted yet. */
export function isKept({ organizationId, agentId }: AgentScope) {
  return sql<SqlBool>`(${q.organization_id} = ${organizationId} and ${q.agent_id} = ${agentId}
    and ${q.asked_at} > now() - interval '30 days')`
}

/** Lists questions, newest first, after the one with the given id: ids are made in the order of time. @throws ApiError agent_not_found */
export async function listQuestions(
  db: Database,
  scope: AgentScope,
  { limit, after, ...asked }: QuestionFilters & { limit: number; after?: string | undefined },
): Promise<{ questions: KeptQuestion[]; hasMore: boolean }> {
  const conditions = [
    isKept(scope),
    after !== undefined && sql`${q.id} < ${after}::uuid`,
    asked.call_id !== undefined && sql`${q.call_id} = ${asked.call_id}`,
    asked.answered !== undefined && (asked.answered ? sql`${q.status} = 'found'` : sql`${q.status} <> 'found'`),
    asked.from !== undefined && sql`${q.asked_at} >= ${asked.from}::timestamptz`,
    asked.to !== undefined && sql`${q.asked_at} < ${asked.to}::timestamptz`,
  ].filter((condition) => condition !== false)
  const { questions } = await db.batch({
    questions: sql<KeptQuestion>`
      select q.id, q.question, q.call_id, q.mode, q.is_degraded, q.hits, q.answerable, q.status, q.value,
        q.milliseconds, q.is_wrong, q.asked_at
      from question_log q where ${sql.join(conditions, sql` and `)} order by q.id desc limit ${limit + 1}`,
  })
  if (questions.length === 0) await requireAgent(db, scope)
  return { questions: questions.slice(0, limit), hasMore: questions.length > limit }
}

/** Closes questions without a good answer, in these words, since a check keeps what they get. */
export function closeAsKept({ organizationId, agentId }: AgentScope, question: string) {
  return sql`update question_log q set answered_since = '{}' where ${q.organization_id} = ${organizationId} and ${q.agent_id} = ${agentId}
    and ${q.status} <> 'found' and not ${q.is_wrong} and lower(${q.question}) = lower(${question})`
}

import { sql } from 'kysely'
import type { Verdict } from '../checks/try-change.ts'
import type { AgentScope } from '../database/scope.ts'
import type { Warning } from '../database/tables.ts'

/** The warnings of the changed document `d`: it warns of questions that the change breaks until they pass. */
export function warningsAfter({ results, broken }: Verdict) {
  const passed = results.flatMap(({ passed, question }) => (passed ? [question.id] : []))
  const added = broken.map(({ golden_question_id, question, as_of }): Warning => {
    return { code: 'golden_question_failed', golden_question_id, question, ...(as_of && { as_of }) }
  })
  const gone = [...passed, ...added.map((each) => each.golden_question_id)]
  return sql<string>`(select coalesce(jsonb_agg(w), '[]') from jsonb_array_elements(d.warnings) w
    where w ->> 'golden_question_id' <> all (${gone}::text[])) || ${JSON.stringify(added)}::jsonb`
}

/** Removes the warnings of these questions from all of the agent's documents, or from one. @param isDue keeps those of future moments */
export function withoutWarnings(
  { organizationId, agentId }: AgentScope,
  ids: readonly string[],
  { documentId, isDue = false }: { documentId?: string; isDue?: boolean } = {},
) {
  const kept = sql`select coalesce(jsonb_agg(w), '[]') from jsonb_array_elements(d.warnings) w
    where w ->> 'golden_question_id' <> all (${ids}::text[])
      or ${isDue}::boolean and coalesce((w ->> 'as_of')::timestamptz > now(), false)`
  return sql`update documents d set warnings = (${kept})
    where d.organization_id = ${organizationId} and d.agent_id = ${agentId} and d.warnings <> '[]'
      and d.warnings is distinct from (${kept}) and ${documentId ? sql`d.id = ${documentId}` : sql`true`}`
}

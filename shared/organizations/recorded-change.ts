import { sql } from 'kysely'
import { newId, type OrganizationId } from '../ids.ts'

interface Action {
  organizationId: OrganizationId
  /** The id of a person or key; null for neither. */
  by: string
  command: string
  /** Ids and roles only: the row outlives them. */
  args: string[]
}

/** Records a change that returns a row among the actions that operators read. */
export function changeWithRecord({ organizationId, by, command, args }: Action, change: ReturnType<typeof sql>) {
  return sql<{ id: string }>`with changed as (${change})
    insert into operator_actions (id, person, command, arguments, organization_id, ended_at, outcome)
    select ${newId()}, ${by}, ${command}, ${args}, ${organizationId}, now(), 'done' from changed returning id`
}

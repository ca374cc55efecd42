import { sql } from 'kysely'
import type { AgentId, OrganizationId } from '../../shared/ids.ts'
import type { ModelMessage } from '../../shared/queue.ts'

const agentsPerSweep = 100
/** A message counts as lost if no worker has come by then. A worker sets an earlier time itself. */
const lostAfterSeconds = 600

interface DueAgent {
  organization_id: OrganizationId
  id: AgentId
}

/** Agents whose change of model has work to do. Organizations take turns. */
export function acquireDueModels() {
  return sql<DueAgent>`
    with due as (
      select a.organization_id, a.id, a.model_due_at,
        row_number() over (partition by a.organization_id order by a.model_due_at) as turn
      from agents a where a.model_due_at <= now()
    ), chosen as (
      select a.organization_id, a.id from agents a
        -- Unless another sweep has acquired it since.
        join due on (due.organization_id, due.id, due.model_due_at) = (a.organization_id, a.id, a.model_due_at)
      order by due.turn, due.model_due_at limit ${agentsPerSweep} for update of a skip locked
    )
    update agents a set model_due_at = now() + make_interval(secs => ${lostAfterSeconds})
    from chosen where (a.organization_id, a.id) = (chosen.organization_id, chosen.id)
    returning a.organization_id, a.id`
}

export function toModelMessage({ organization_id, id }: DueAgent): ModelMessage {
  return { organizationId: organization_id, agentId: id }
}

import { sql } from 'kysely'
import type { Database } from '../database/database.ts'
import { type AgentScope, isAgent } from '../database/scope.ts'
import { ApiError } from '../http/errors.ts'
import { agentNotFound } from '../http/not-found.ts'
import { newId } from '../ids.ts'
import { haltCrawls } from '../websites/halt-crawls.ts'
import { getAgent } from './agents.ts'
import { changeWithRecord } from './recorded-change.ts'

/**
 * Begins an agent's erasure: from then on nobody finds it, and the sweeper deletes what it has.
 * @param confirm its name, trimmed @param by the id of a person or key @returns its name @throws ApiError agent_not_found, confirmation_mismatch
 */
export async function deleteAgent(
  db: Database,
  scope: AgentScope,
  { confirm, by }: { confirm: string; by: string },
): Promise<string> {
  const { name } = await getAgent(db, scope)
  if (name.trim() !== confirm)
    throw new ApiError('confirmation_mismatch', '`confirm` is not the name of the agent. Nothing was deleted.')
  const { organizationId, agentId } = scope
  const { begun } = await db.batch({
    begun: changeWithRecord(
      { organizationId, by, command: 'agent delete', args: [agentId] },
      sql`insert into erasures (id, kind, organization_id, agent_id)
        select ${newId()}, 'agent', a.organization_id, a.id from agents a where ${isAgent(scope)}
        on conflict do nothing returning 1`,
    ),
    halted: haltCrawls(scope),
  })
  if (begun.length === 0) agentNotFound()
  return name
}

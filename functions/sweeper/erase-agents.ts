import type { Database } from '../../shared/database/database.ts'
import { continueErasure, Interrupted, listErasures } from '../../shared/erasure/erase.ts'
import type { AgentId, OrganizationId } from '../../shared/ids.ts'
import { log } from '../../shared/telemetry/log.ts'

/** Leaves the rest to the next sweep. */
const maxMilliseconds = 20_000

/** Continues erasures of agents, the oldest first, until they are complete or the time is over. @returns the number of complete ones */
export async function eraseAgents(db: Database, remaining: () => number): Promise<number> {
  const signal = AbortSignal.timeout(Math.max(0, Math.min(maxMilliseconds, remaining())))
  const begun = await listErasures(db)
    .where('kind', '=', 'agent')
    .where('completed_at', 'is', null)
    .limit(100)
    .execute()
  let erased = 0
  try {
    for (const { id, organization_id, agent_id } of begun) {
      const subject = { organizationId: organization_id as OrganizationId, agentId: agent_id as AgentId }
      const { counts } = await continueErasure(db, id, subject, { signal, onProgress: () => {} })
      log.info('agent_erased', { organization_id, agent_id, counts })
      erased++
    }
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error
  }
  return erased
}

import type { Database } from '../../shared/database/database.ts'
import { type AgentScope, agentNotFound, findAgent } from '../../shared/database/scope.ts'

const maxKnown = 10_000

/**
 * Asks the database for an agent before the embedding provider is called for it, and for each agent only once in the life of an
 * instance: every search finds out again whether its agent is still there.
 */
export function knownAgents() {
  const known = new Set<string>()

  /** @throws ApiError agent_not_found */
  return async function requireAgent(db: Database, scope: AgentScope): Promise<void> {
    const key = `${scope.organizationId} ${scope.agentId}`
    if (known.has(key)) return
    const { rows } = await findAgent(scope).execute(db)
    if (rows.length === 0) agentNotFound()
    if (known.size >= maxKnown) known.clear()
    known.add(key)
  }
}

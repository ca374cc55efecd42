import { createAgent, createKey, createOrganization } from '../../infra/admin/tenants.ts'
import type { Database } from '../../shared/database/database.ts'
import { type Permission, permissions } from '../../shared/http/api-keys.ts'

/** An organization of its own, with an agent and a key. @param db as the owner */
export async function makeTenant(db: Database, granted: readonly Permission[] = permissions) {
  const organization = await createOrganization(db, 'Test')
  const agent = await createAgent(db, organization.id, 'Agent')
  const { key } = await createKey(db, { organizationId: organization.id, name: 'test', permissions: [...granted] })
  return {
    organizationId: organization.id,
    agentId: agent.id,
    apiKey: key,
    /** Path of the agent's documents. */
    knowledgeBase: `/v1/agents/${agent.id}/knowledge-base`,
  }
}

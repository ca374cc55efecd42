import { createAgent } from '../../../infra/admin/agents.ts'
import { createKey, revokeKey } from '../../../infra/admin/keys.ts'
import { createOrganization } from '../../../infra/admin/organizations.ts'
import type { Database } from '../../../shared/database/database.ts'
import { newKey } from '../../../shared/http/api-keys.ts'
import type { OrganizationId } from '../../../shared/ids.ts'
import type { Limits } from '../../../shared/organizations/limits.ts'
import { type Permission, permissions } from '../../../shared/organizations/permissions.ts'
import type { TestStand } from './stand.ts'

/** Sets limits of an organization. @param db as the owner */
export async function limit(db: Database, organizationId: string, limits: Partial<Limits>): Promise<void> {
  await db.updateTable('organizations').set(limits).where('id', '=', organizationId).execute()
}

/** A tenant with these limits. */
export async function limitedTenant({ db, tenant }: Pick<TestStand, 'db' | 'tenant'>, limits: Partial<Limits>) {
  const limited = await tenant()
  await limit(db, limited.organizationId, limits)
  return limited
}

/** More than a test needs: those that are about limits set their own. */
export async function unlimit(db: Database, organizationId: string): Promise<void> {
  const plenty = 1_000_000_000
  await limit(db, organizationId, {
    requests_per_second: plenty,
    request_burst: plenty,
    tokens_per_day: plenty,
    documents_in_pipeline: plenty,
    stored_bytes: 1000 * plenty,
  })
}

/** An organization of its own, with an agent and a key. @param db as the owner */
export async function makeTenant(db: Database, granted: readonly Permission[] = permissions) {
  const organization = await createOrganization(db, 'Test')
  await unlimit(db, organization.id)
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

/** An unknown, a revoked and an expired key of the organization, the last two with all permissions. @param db as the owner */
export async function rejectedKeys(db: Database, organizationId: string): Promise<string[]> {
  const key = { organizationId: organizationId as OrganizationId, name: 'k', permissions: [...permissions] }
  const revoked = await createKey(db, key)
  await revokeKey(db, revoked.id)
  const expired = await createKey(db, { ...key, expiresAt: new Date(Date.now() - 1000) })
  return [newKey(), revoked.key, expired.key]
}

import type { Database } from '../../../shared/database/database.ts'
import type { AgentId, OrganizationId } from '../../../shared/ids.ts'
import { CommandError, organizationNotFound } from '../command-error.ts'
import { anyOrganization } from '../lists.ts'
import type { Subject } from './belongings.ts'
import { findErasure } from './erasures.ts'

/** @throws CommandError unless there is such an organization, of this name */
export async function confirmOrganization(
  db: Database,
  organizationId: OrganizationId,
  name: string,
): Promise<Subject> {
  const found = await db.selectFrom('organizations').select('name').where('id', '=', organizationId).executeTakeFirst()
  if (!found) {
    await requireNotErased(db, { organizationId })
    organizationNotFound(organizationId)
  }
  requireName(found.name, name, 'organization', organizationId)
  return { organizationId }
}

export async function confirmAgent(db: Database, agentId: AgentId, name: string): Promise<Subject> {
  const found = await db
    .selectFrom('agents')
    .select(['organization_id', 'name'])
    .where('organization_id', '=', anyOrganization)
    .where('id', '=', agentId)
    .executeTakeFirst()
  if (!found) throw new CommandError(`no such agent: ${agentId}`)
  requireName(found.name, name, 'agent', agentId)
  return { organizationId: found.organization_id as OrganizationId, agentId }
}

function requireName(name: string, typed: string, kind: string, id: string): void {
  if (name !== typed)
    throw new CommandError(`that is not the name of ${kind} ${id}: npx cuecard ${kind} show ${id} shows it`)
}

async function requireNotErased(db: Database, subject: Subject): Promise<void> {
  const erasure = await findErasure(db, subject)
  if (erasure?.completed_at)
    throw new CommandError(
      `organization ${subject.organizationId} was erased at ${new Date(erasure.completed_at).toISOString()}`,
    )
}

import type { Database } from '../../../shared/database/database.ts'
import type { AgentId, OrganizationId } from '../../../shared/ids.ts'
import { CommandError, organizationNotFound } from '../command-error.ts'
import { anyOrganization } from '../lists.ts'
import type { Subject } from './belongings.ts'

/** @throws CommandError unless there is such an organization, of this name */
export async function confirmOrganization(
  db: Database,
  organizationId: OrganizationId,
  name: string,
): Promise<Subject> {
  const { found, erased } = await db.batch({
    found: db.selectFrom('organizations').select('name').where('id', '=', organizationId),
    erased: db
      .selectFrom('erasures')
      .select('completed_at')
      .where('organization_id', '=', organizationId)
      .where('agent_id', 'is', null),
  })
  if (!found[0]) {
    const { completed_at } = erased[0] ?? {}
    if (completed_at)
      throw new CommandError(`organization ${organizationId} was erased at ${new Date(completed_at).toISOString()}`)
    organizationNotFound(organizationId)
  }
  requireName(found[0].name, name, 'organization', organizationId)
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

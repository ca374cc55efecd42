import { sql } from 'kysely'
import type { Database } from '../../shared/database/database.ts'
import type { Status } from '../../shared/database/tables.ts'
import { type AgentId, newId, type OrganizationId } from '../../shared/ids.ts'
import type { AgentFields } from '../../shared/organizations/agents.ts'
import { CommandError, organizationNotFound } from '../command-line/command-error.ts'
import { anyOrganization, byStatus, rowsOf, type StatusCount } from './lists.ts'

export const agentById = (db: Database, id: AgentId) =>
  db.selectFrom('agents').where('organization_id', '=', anyOrganization).where('id', '=', id)

export async function createAgent(
  db: Database,
  organizationId: OrganizationId,
  name: string,
  { time_zone, holidays = null }: Omit<AgentFields, 'name'> = {},
) {
  const id = newId() as AgentId
  const { rows } = await sql`
    insert into agents (organization_id, id, name, time_zone, holidays)
    select id, ${id}, ${name}, ${time_zone ?? null}, ${holidays} from organizations where id = ${organizationId} returning id`.execute(
    db,
  )
  if (rows.length === 0) organizationNotFound(organizationId)
  return { id, organization_id: organizationId, name, time_zone: time_zone ?? null, holidays }
}

export async function listAgents(db: Database, organizationId: OrganizationId) {
  const agents = db
    .selectFrom('agents as a')
    .select((eb) => [
      'a.id',
      'a.name',
      'a.time_zone',
      'a.holidays',
      eb
        .selectFrom('documents as d')
        .select(sql<number>`count(*)::int`.as('document_count'))
        .whereRef('d.organization_id', '=', 'a.organization_id')
        .whereRef('d.agent_id', '=', 'a.id')
        .where('d.deleted_at', 'is', null)
        .as('document_count'),
      'a.ready_document_count',
      'a.knowledge_base_enabled',
      'a.created_at',
    ])
    .where('a.organization_id', '=', organizationId)
    .orderBy('a.id')
  return { data: await rowsOf(db, organizationId, agents) }
}

export async function showAgent(db: Database, id: AgentId) {
  const { agents, statuses, secrets } = await db.batch({
    agents: agentById(db, id)
      .select(['organization_id', 'id', 'name', 'time_zone', 'holidays', 'knowledge_base_enabled'])
      .select(['ready_document_count', 'created_at']),
    statuses: sql<StatusCount>`
      select status, count(*)::int as count
      from documents where organization_id = ${anyOrganization} and agent_id = ${id} and deleted_at is null group by status`,
    secrets: sql<{ created_at: Date }>`
      select created_at from signing_secrets
      where organization_id = ${anyOrganization} and agent_id = ${id} and platform = 'retell'`,
  })
  const { ready_document_count: ready, knowledge_base_enabled, created_at, ...named } = agents[0] ?? agentNotFound(id)
  const documents = byStatus(statuses)
  return {
    ...named,
    knowledge_base_enabled,
    reason: reasonOf(ready, documents),
    documents: { ready, ...documents },
    retell_secret_since: secrets[0]?.created_at ?? null,
    created_at,
  }
}

/** A document is ready while search serves a revision of it, even if the next one fails. */
function reasonOf(ready: number, { pending, processing, completed, error }: Record<Status, number>): string {
  if (ready > 0) return `${ready} ready ${ready === 1 ? 'document' : 'documents'}`
  if (pending + processing + completed + error === 0) return 'no documents'
  return `no ready documents: ${pending} pending, ${processing} processing, ${error} in error`
}

/** Sets or replaces the secret. Takes effect everywhere within 15 seconds. @throws CommandError if the agent does not exist */
export async function setRetellSecret(db: Database, id: AgentId, secret: string) {
  // Not excluded.secret: operators may write secrets but not read them.
  const { rows } = await sql<{ organization_id: string }>`
    insert into signing_secrets (organization_id, agent_id, platform, secret)
    select organization_id, id, 'retell', ${Buffer.from(secret)}::bytea
    from agents where organization_id = ${anyOrganization} and id = ${id}
    on conflict (organization_id, agent_id, platform)
      do update set secret = ${Buffer.from(secret)}::bytea, created_at = now()
    returning organization_id`.execute(db)
  return { id, ...(rows[0] ?? agentNotFound(id)), retell_signature: 'required' }
}

export async function removeRetellSecret(db: Database, id: AgentId) {
  const { agents } = await db.batch({
    agents: agentById(db, id).select('organization_id'),
    removed: sql`
      delete from signing_secrets
      where organization_id = ${anyOrganization} and agent_id = ${id} and platform = 'retell'`,
  })
  return { id, ...(agents[0] ?? agentNotFound(id)), retell_signature: 'not required' }
}

export function agentNotFound(id: AgentId): never {
  throw new CommandError(`no such agent: ${id}`)
}

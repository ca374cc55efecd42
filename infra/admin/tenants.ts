import { sql } from 'kysely'
import type { Database } from '../../shared/database/database.ts'
import { type AgentId, newId, type OrganizationId } from '../../shared/ids.ts'
import type { AgentFields } from '../../shared/organizations/agents.ts'
import * as keys from '../../shared/organizations/keys.ts'
import { changeLimits, type Limits } from '../../shared/organizations/limits.ts'
import { CommandError, organizationNotFound } from '../command-line/command-error.ts'
import { anyOrganization, rowsOf } from './lists.ts'

export async function createOrganization(db: Database, name: string): Promise<{ id: OrganizationId; name: string }> {
  const id = newId() as OrganizationId
  await db.insertInto('organizations').values({ id, name }).execute()
  return { id, name }
}

export async function listOrganizations(db: Database) {
  const organizations = db
    .selectFrom('organizations')
    .select(['id', 'name', 'auto_delete_done_calls', 'created_at'])
    .orderBy('id')
  return { data: await organizations.execute() }
}

export async function onlyOrganization(db: Database): Promise<OrganizationId> {
  const [first, ...others] = await db.selectFrom('organizations').select('id').limit(2).execute()
  if (!first) throw new CommandError('there is no organization yet: create one with npx cuecard organization create')
  if (others.length > 0)
    throw new CommandError(
      'there are several organizations: pass --organization with an id that npx cuecard organization list prints',
    )
  return first.id as OrganizationId
}

export async function showOrganization(db: Database, id: OrganizationId) {
  const { rows } = await sql<object>`
    select o.id, o.name, o.auto_delete_done_calls, o.created_at, count(a.id)::int as agent_count,
      (select count(*)::int from documents d where d.organization_id = o.id and d.deleted_at is null) as document_count,
      coalesce(sum(a.ready_document_count), 0)::int as ready_document_count
    from organizations o left join agents a on a.organization_id = o.id
    where o.id = ${id} group by o.id`.execute(db)
  return rows[0] ?? organizationNotFound(id)
}

/** @returns the limits after the changes, and today's use @throws CommandError if the organization does not exist */
export async function setLimits(db: Database, id: OrganizationId, changes: Partial<Limits>) {
  const usage = (await changeLimits(db, id, changes)) ?? organizationNotFound(id)
  return { id, ...usage }
}

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

interface NewKey extends keys.NewKey {
  organizationId: OrganizationId
}

/** @returns the key, which is shown nowhere else @throws CommandError if the organization does not exist */
export async function createKey(db: Database, { organizationId, ...key }: NewKey) {
  return (await keys.createKey(db, organizationId, key)) ?? organizationNotFound(organizationId)
}

export async function listKeys(db: Database, organizationId: OrganizationId) {
  return { data: await rowsOf(db, organizationId, keys.listKeys(db, organizationId)) }
}

/** Takes effect everywhere within 30 seconds. A second call keeps the first time. @throws CommandError for an unknown key */
export async function revokeKey(db: Database, id: string, options: { withCreated?: boolean } = {}) {
  const revoked = await keys.revokeKey(db, anyOrganization, id, options)
  if (!revoked) throw new CommandError(`no such key: ${id}`)
  return revoked
}

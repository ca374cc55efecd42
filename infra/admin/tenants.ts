import { sql } from 'kysely'
import type { Database } from '../../shared/database/database.ts'
import { hashKey, newKey, type Permission } from '../../shared/http/api-keys.ts'
import { type AgentId, newId, type OrganizationId } from '../../shared/ids.ts'
import { everyOrganization, listOf } from './lists.ts'
import { CommandError, noOrganization } from './refusal.ts'

/** What operators make for a customer. These run as the database's owner, across organizations. */

export async function createOrganization(db: Database, name: string): Promise<{ id: OrganizationId; name: string }> {
  const id = newId() as OrganizationId
  await db.insertInto('organizations').values({ id, name }).execute()
  return { id, name }
}

export async function listOrganizations(db: Database) {
  return {
    data: await db
      .selectFrom('organizations')
      .select(['id', 'name', 'auto_delete_done_calls', 'created_at'])
      .orderBy('id')
      .execute(),
  }
}

/** An organization with the number of its agents and documents. @throws CommandError when there is none */
export async function showOrganization(db: Database, id: OrganizationId) {
  const { rows } = await sql<{ id: string; name: string }>`
    select o.id, o.name, o.auto_delete_done_calls, o.created_at,
      count(a.id)::int as agent_count,
      coalesce(sum(a.document_count), 0)::int as document_count,
      coalesce(sum(a.ready_document_count), 0)::int as ready_document_count
    from organizations o
    left join agents a on a.organization_id = o.id
    where o.id = ${id}
    group by o.id`.execute(db)
  return rows[0] ?? noOrganization(id)
}

/** @throws CommandError when there is no such organization */
export async function createAgent(db: Database, organizationId: OrganizationId, name: string) {
  const id = newId() as AgentId
  const { rows } = await sql`
    insert into agents (id, organization_id, name) select ${id}, id, ${name} from organizations where id = ${organizationId}
    returning id`.execute(db)
  if (rows.length === 0) noOrganization(organizationId)
  return { id, organization_id: organizationId, name }
}

/** @throws CommandError when there is no such organization */
export async function listAgents(db: Database, organizationId: OrganizationId) {
  const agents = sql<{ id: string }>`
    select id, name, document_count, ready_document_count, knowledge_base_enabled, created_at
    from agents where organization_id = ${organizationId} order by id`
  return { data: await listOf(db, organizationId, agents) }
}

export interface NewKey {
  organizationId: OrganizationId
  name: string
  permissions: Permission[]
  expiresAt?: Date | undefined
}

/**
 * Makes an API key. The answer is the only place where the key itself ever stands.
 * @throws CommandError when there is no such organization
 */
export async function createKey(db: Database, { organizationId, name, permissions, expiresAt }: NewKey) {
  const id = newId()
  const key = newKey()
  const expires_at = expiresAt?.toISOString() ?? null
  const { rows } = await sql`
    insert into api_keys (id, organization_id, name, key_hash, permissions, expires_at)
    select ${id}, id, ${name}, ${hashKey(key)}, ${permissions}, ${expires_at} from organizations where id = ${organizationId}
    returning id`.execute(db)
  if (rows.length === 0) noOrganization(organizationId)
  return { id, organization_id: organizationId, name, permissions, expires_at, key }
}

/** The keys' particulars: neither the key nor its hash. @throws CommandError when there is no such organization */
export async function listKeys(db: Database, organizationId: OrganizationId) {
  const keys = sql<{ id: string }>`
    select id, name, permissions,
      case when revoked_at is not null then 'revoked' when expires_at <= now() then 'expired' else 'active' end as state,
      expires_at, revoked_at, created_at
    from api_keys where organization_id = ${organizationId} order by id`
  return { data: await listOf(db, organizationId, keys) }
}

/**
 * Revokes a key; within 30 seconds it is refused everywhere. Revoked again, it keeps its first time.
 * @throws CommandError when there is no such key
 */
export async function revokeKey(db: Database, id: string) {
  const { rows } = await sql<{ id: string; organization_id: string; name: string; revoked_at: Date }>`
    update api_keys set revoked_at = coalesce(revoked_at, now())
    where organization_id = any(${everyOrganization}) and id = ${id}
    returning id, organization_id, name, revoked_at`.execute(db)
  if (!rows[0]) throw new CommandError(`there is no key ${id}`)
  return rows[0]
}

import { sql } from 'kysely'
import type { Database } from '../../shared/database.ts'
import { type AgentId, newId, type OrganizationId } from '../../shared/ids.ts'
import { hashKey, newKey, type Permission } from '../../shared/keys.ts'

/** What operators make for a customer. These run as the database's owner, across organizations. */

export async function createOrganization(db: Database, name: string): Promise<{ id: OrganizationId; name: string }> {
  const id = newId() as OrganizationId
  await db.insertInto('organizations').values({ id, name }).execute()
  return { id, name }
}

/** @throws the database's foreign key violation when there is no such organization */
export async function createAgent(db: Database, organizationId: OrganizationId, name: string) {
  const id = newId() as AgentId
  await db.insertInto('agents').values({ id, organization_id: organizationId, name }).execute()
  return { id, organization_id: organizationId, name }
}

export interface NewKey {
  organizationId: OrganizationId
  name: string
  permissions: Permission[]
  expiresAt?: Date | undefined
}

/** Makes an API key. The answer is the only place where the key itself ever stands. */
export async function createKey(db: Database, { organizationId, name, permissions, expiresAt }: NewKey) {
  const id = newId()
  const key = newKey()
  await db
    .insertInto('api_keys')
    .values({
      id,
      organization_id: organizationId,
      name,
      key_hash: hashKey(key),
      permissions,
      expires_at: expiresAt ?? null,
    })
    .execute()
  return { id, organization_id: organizationId, name, permissions, key }
}

/** Revokes a key; within 30 seconds it is refused everywhere. False when there is no such key. */
export async function revokeKey(db: Database, id: string): Promise<boolean> {
  const { rows } =
    await sql`update api_keys set revoked_at = coalesce(revoked_at, now()) where id = ${id} returning id`.execute(db)
  return rows.length > 0
}

import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../database/database.ts'
import { hashKey, newKey, type Permission } from '../http/api-keys.ts'
import { newId, type OrganizationId } from '../ids.ts'

/** One organization, or for an operator, who names a row by its id alone, an expression for all of them. */
export type Organizations = OrganizationId | RawBuilder<OrganizationId>

export interface NewKey {
  /** To be made once, whoever asks again; by default a new one. */
  id?: string | undefined
  name: string
  permissions: Permission[]
  expiresAt?: Date | undefined
}

/** The result is the only place where the key appears. Undefined when there is no such organization, or a key with this id. */
export async function createKey(
  db: Database,
  organizationId: OrganizationId,
  { id = newId(), name, permissions, expiresAt }: NewKey,
) {
  const key = newKey()
  const expires_at = expiresAt?.toISOString() ?? null
  const created = await db
    .insertInto('api_keys')
    .columns(['organization_id', 'id', 'name', 'key_hash', 'permissions', 'expires_at'])
    .expression((eb) =>
      eb
        .selectFrom('organizations')
        .select([
          'id',
          eb.val(id).as('key'),
          eb.val(name).as('named'),
          eb.val(hashKey(key)).as('hash'),
          eb.val(permissions).as('granted'),
          eb.val(expires_at).as('expires'),
        ])
        .where('id', '=', organizationId),
    )
    .onConflict((conflict) => conflict.columns(['organization_id', 'id']).doNothing())
    .returning('id')
    .executeTakeFirst()
  return created && { id, organization_id: organizationId, name, permissions, expires_at, key }
}

/** Oldest first, without the keys themselves. */
export function listKeys(db: Database, organizationId: OrganizationId) {
  return db
    .selectFrom('api_keys')
    .select(['id', 'name', 'permissions'])
    .select((eb) =>
      eb
        .case()
        .when('revoked_at', 'is not', null)
        .then('revoked' as const)
        .when('expires_at', '<=', sql<Date>`now()`)
        .then('expired' as const)
        .else('active' as const)
        .end()
        .as('state'),
    )
    .select(['expires_at', 'revoked_at', 'created_at'])
    .where('organization_id', '=', organizationId)
    .orderBy('id')
}

/** As the list shows it. */
export type Key = Awaited<ReturnType<ReturnType<typeof listKeys>['execute']>>[number]

/** For the API within 30 seconds, for sessions at their next request; again, it keeps the first time. Undefined for an unknown key. */
export async function revokeKey(db: Database, organization: Organizations, id: string) {
  return await db
    .updateTable('api_keys')
    .set((eb) => ({ revoked_at: eb.fn.coalesce('revoked_at', sql<Date>`now()`) }))
    .where('organization_id', '=', organization)
    .where('id', '=', id)
    .returning(['id', 'organization_id', 'name', 'revoked_at'])
    .executeTakeFirst()
}

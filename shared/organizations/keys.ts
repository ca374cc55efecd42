import { type RawBuilder, sql } from 'kysely'
import { columnsOf } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { hashKey, newKey } from '../http/api-keys.ts'
import { newId, type OrganizationId } from '../ids.ts'
import type { Permission } from '../permissions.ts'

const k = columnsOf('api_keys', 'k')

/** One organization; or, for an operator, who names a row by its id only, an expression for all of them. */
export type Organizations = OrganizationId | RawBuilder<OrganizationId>

export interface NewKey {
  /** Given where the same request may come twice: it then makes one key. */
  id?: string | undefined
  name: string
  permissions: Permission[]
  expiresAt?: Date | undefined
  /** The id of the key with which it is made, which must not be revoked. */
  createdBy?: string | undefined
}

/** The result is the only place where the key appears. Undefined when there is no such organization, or a key with this id. */
export async function createKey(
  db: Database,
  organizationId: OrganizationId,
  { id = newId(), name, permissions, expiresAt, createdBy }: NewKey,
) {
  const key = newKey()
  const expires_at = expiresAt?.toISOString() ?? null
  const { created } = await db.batch({
    lock: sql`select ${lockKeys(sql.val(organizationId))}`,
    created: db
      .insertInto('api_keys')
      .columns(['organization_id', 'id', 'name', 'key_hash', 'permissions', 'expires_at', 'created_by'])
      .expression((eb) =>
        eb
          .selectFrom('organizations as o')
          .select([
            'o.id',
            eb.val(id).as('key'),
            eb.val(name).as('named'),
            eb.val(hashKey(key)).as('hash'),
            eb.val(permissions).as('granted'),
            eb.val(expires_at).as('expires'),
            eb.val(createdBy ?? null).as('creator'),
          ])
          .where('o.id', '=', organizationId)
          .where(({ not, exists, selectFrom }) =>
            not(
              exists(
                selectFrom('api_keys as k')
                  .select('k.id')
                  .whereRef('k.organization_id', '=', 'o.id')
                  .where('k.id', '=', createdBy ?? null)
                  .where('k.revoked_at', 'is not', null),
              ),
            ),
          ),
      )
      .onConflict((conflict) => conflict.column('id').doNothing())
      .returning('id'),
  })
  return created.length > 0 ? { id, organization_id: organizationId, name, permissions, expires_at, key } : undefined
}

/** Until the transaction ends, no other one makes or revokes keys of the organization: no key escapes the revocation of its creator. */
function lockKeys(organization: RawBuilder<unknown>) {
  return sql`pg_advisory_xact_lock(hashtextextended(${organization}::text, 0))`
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
    .select(['expires_at', 'revoked_at', 'created_by', 'created_at'])
    .where('organization_id', '=', organizationId)
    .orderBy('id')
}

export type Key = Awaited<ReturnType<ReturnType<typeof listKeys>['execute']>>[number]

export function madeWith<K extends Pick<Key, 'id' | 'created_by'>>(keys: readonly K[], id: string): K[] {
  return keys.filter(({ created_by }) => created_by === id).flatMap((key) => [key, ...madeWith(keys, key.id)])
}

/** Takes effect within 30 seconds, for sessions at once. @param withCreated also the keys made with it, and with those in turn */
export async function revokeKey(db: Database, organization: Organizations, id: string, { withCreated = false } = {}) {
  const own = db.selectFrom('api_keys as k').where('k.organization_id', '=', organization).where('k.id', '=', id)
  const withTree = db.withRecursive('tree', (eb) =>
    own.select(['k.organization_id', 'k.id']).union(
      eb
        .selectFrom('api_keys as k')
        .innerJoin('tree as t', (join) =>
          join.onRef('t.organization_id', '=', 'k.organization_id').onRef('t.id', '=', 'k.created_by'),
        )
        .select(['k.organization_id', 'k.id']),
    ),
  )
  const { keys } = await db.batch({
    lock: own.select(lockKeys(k.organization_id).as('lock')),
    revoked: withTree
      .updateTable('api_keys as k')
      .from('tree as t')
      .set({ revoked_at: sql<Date>`now()` })
      .whereRef('k.organization_id', '=', 't.organization_id')
      .whereRef('k.id', '=', 't.id')
      .where('k.revoked_at', 'is', null)
      .$if(!withCreated, (query) => query.where('k.id', '=', id)),
    keys: withTree
      .selectFrom('tree as t')
      .innerJoin('api_keys as k', (join) =>
        join.onRef('k.organization_id', '=', 't.organization_id').onRef('k.id', '=', 't.id'),
      )
      .select(['k.id', 'k.organization_id', 'k.name', 'k.revoked_at'])
      .orderBy('k.id'),
  })
  const key = keys.find((each) => each.id === id.toLowerCase())
  const created = keys.filter((each) => each !== key)
  return key && { ...key, created: created.map(({ id, name, revoked_at }) => ({ id, name, revoked_at })) }
}

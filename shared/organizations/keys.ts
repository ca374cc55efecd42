import { type RawBuilder, type Selectable, sql } from 'kysely'
import { columnsOf } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import type { Tables } from '../database/tables.ts'
import { hashKey, newKey } from '../http/api-keys.ts'
import { newId, type OrganizationId } from '../ids.ts'
import type { Permission } from './permissions.ts'

const k = columnsOf('api_keys', 'k')

/** One organization, or an expression for all of them: operators name a row by its id only. */
export type Organizations = OrganizationId | RawBuilder<OrganizationId>

export interface NewKey {
  name: string
  permissions: Permission[]
  expiresAt?: Date | undefined
  /** The id of the key that creates it, which must not be revoked. */
  createdBy?: string | undefined
  /** The id of the person who creates it, who must be a member. */
  createdByPerson?: string | undefined
}

/** Creates a key, which appears only in the result. Undefined if the organization or whoever creates it is gone. */
export async function createKey(
  db: Database,
  organizationId: OrganizationId,
  { name, permissions, expiresAt, createdBy, createdByPerson }: NewKey,
) {
  const [id, key] = [newId(), newKey()]
  const expires_at = expiresAt?.toISOString() ?? null
  const person = createdByPerson ?? null
  const { created } = await db.batch({
    lock: sql`select ${lockKeys(sql.val(organizationId))}`,
    created: sql<{ id: string }>`
      insert into api_keys (organization_id, id, name, key_hash, permissions, expires_at, created_by, created_by_person)
      select o.id, ${id}, ${name}, ${hashKey(key)}, ${permissions}, ${expires_at}, ${createdBy ?? null}, ${person}
      from organizations o where o.id = ${organizationId} and not exists (
        select from api_keys k where k.organization_id = o.id and k.id = ${createdBy ?? null} and k.revoked_at is not null)
        and (${person}::uuid is null or ${isMember(organizationId, person)}) returning id`,
  })
  return created.length > 0 ? { id, organization_id: organizationId, name, permissions, expires_at, key } : undefined
}

/** A condition that lets the person's removal wait for what they create, so that it finds that, and the other way round. */
export function isMember(organizationId: OrganizationId, personId: string | null) {
  return sql`exists (select from memberships m where m.organization_id = ${organizationId} and m.person_id = ${personId}
    and m.removed_at is null for share)`
}

/** Keeps other transactions from creating or revoking the organization's keys: none escapes the revocation of its creator. */
function lockKeys(organization: RawBuilder<unknown>) {
  return sql`pg_advisory_xact_lock(hashtextextended(${organization}::text, 0))`
}

/** Lists an organization's keys, oldest first, without the keys themselves. */
export function listKeys(db: Database, organizationId: OrganizationId) {
  return db
    .selectFrom('api_keys')
    .select(['id', 'name', 'permissions'])
    .select(
      sql<'revoked' | 'expired' | 'active'>`case when revoked_at is not null then 'revoked'
        when expires_at <= now() then 'expired' else 'active' end`.as('state'),
    )
    .select(['expires_at', 'revoked_at', 'created_by', 'created_by_person', 'created_at'])
    .select(
      // The person's mail address or the key's name; null if an operator created it.
      sql<string | null>`coalesce((select p.mail from people p where p.id = api_keys.created_by_person), (
        select c.name from api_keys c where c.organization_id = api_keys.organization_id and c.id = api_keys.created_by))`.as(
        'creator',
      ),
    )
    .where('organization_id', '=', organizationId)
    .orderBy('id')
}

export type Key = Awaited<ReturnType<ReturnType<typeof listKeys>['execute']>>[number]

/** The keys that a key or a person has created, and those created with these in turn. */
export function madeWith<K extends Pick<Key, 'id' | 'created_by' | 'created_by_person'>>(
  keys: readonly K[],
  id: string,
): K[] {
  return keys
    .filter(({ created_by, created_by_person }) => [created_by, created_by_person].includes(id))
    .flatMap((key) => [key, ...madeWith(keys, key.id)])
}

/** A common table `tree`: the keys `k` that the condition selects, and the keys created with them, and with those in turn. */
const treeOf = (condition: RawBuilder<unknown>) => sql`with recursive tree as (
    select k.organization_id, k.id from api_keys k where ${condition}
    union
    select k.organization_id, k.id from api_keys k join tree t on t.organization_id = k.organization_id and t.id = k.created_by)`

/** The statement that revokes a tree's keys. @param condition of the key `k` */
export function revokeTree(ofTree: RawBuilder<unknown>, condition: RawBuilder<unknown>) {
  return sql`${treeOf(ofTree)} update api_keys k set revoked_at = now() from tree t
    where k.organization_id = t.organization_id and k.id = t.id and k.revoked_at is null and ${condition} returning k.id`
}

/** Revokes a key within 30 seconds, for sessions at once. @param withCreated also revokes the keys created with it, and with those in turn */
export async function revokeKey(db: Database, organization: Organizations, id: string, { withCreated = false } = {}) {
  const own = sql`k.organization_id = ${organization} and k.id = ${id}`
  const { keys } = await db.batch({
    lock: sql`select ${lockKeys(k.organization_id)} from api_keys k where ${own}`,
    revoked: revokeTree(own, withCreated ? sql`true` : sql`k.id = ${id}`),
    keys: sql<Pick<Selectable<Tables['api_keys']>, 'id' | 'organization_id' | 'name' | 'revoked_at'>>`${treeOf(own)}
      select k.id, k.organization_id, k.name, k.revoked_at
      from tree t join api_keys k on k.organization_id = t.organization_id and k.id = t.id order by k.id`,
  })
  const key = keys.find((each) => each.id === id.toLowerCase())
  const created = keys.filter((each) => each !== key)
  return key && { ...key, created: created.map(({ id, name, revoked_at }) => ({ id, name, revoked_at })) }
}

import { sql } from 'kysely'
import type { Database } from '../database/database.ts'
import { newId, type OrganizationId } from '../ids.ts'
import { isMember, revokeTree } from './keys.ts'
import type { Role } from './permissions.ts'
import { changeWithRecord } from './recorded-change.ts'
import { hashToken, newToken } from './sessions.ts'

export const invitationDays = 7
const maxInvitationsPerDay = 50

export interface Person {
  id: string
  mail: string
  role: Role
  /** When an invitation expires; null for a member. */
  expires_at: Date | null
  /** The id of the member who sent an invitation. */
  invited_by: string | null
}

/** Members, then open invitations, each in the order of their addresses. */
export async function listPeople(db: Database, organizationId: OrganizationId): Promise<Person[]> {
  const { rows } = await sql<Person>`
    select * from (
      select m.person_id as id, p.mail, m.role, null::timestamptz as expires_at, null::uuid as invited_by
      from memberships m join people p on p.id = m.person_id
      where m.organization_id = ${organizationId} and m.removed_at is null
      union all
      select i.id, i.mail, i.role, i.expires_at, i.invited_by from invitations i
      where i.organization_id = ${organizationId} and i.expires_at > now()) e
    order by expires_at is not null, mail`.execute(db)
  return rows
}

/** Invites a person, or invites them again after five minutes, which ends the earlier link. The token is mailed and not stored. @param by the id of an owner */
export async function invite(
  db: Database,
  organizationId: OrganizationId,
  { mail, role, by }: { mail: string; role: Role; by: string },
): Promise<{ outcome: 'invited'; token: string } | { outcome: 'member' | 'recent' | 'limited' }> {
  const [token, id] = [newToken(), newId()]
  // Not excluded.token_hash: the dashboard writes hashes and reads none.
  const hash = hashToken(token)
  const members = sql`select from memberships m join people p on p.id = m.person_id
    where m.organization_id = ${organizationId} and m.removed_at is null and p.mail = ${mail}`
  const isRecent = sql`i.created_at >= now() - interval '5 minutes'`
  const { found, recent, made } = await db.batch({
    lock: sql`select pg_advisory_xact_lock(hashtextextended(${organizationId}::text, 7))`,
    found: members,
    recent: sql`select from invitations i where i.organization_id = ${organizationId} and i.mail = ${mail}
      and ${isRecent}`,
    made: changeWithRecord(
      { organizationId, by, command: 'person invite', args: [role, id] },
      sql`insert into invitations as i (organization_id, id, mail, role, token_hash, expires_at, invited_by)
        select ${organizationId}, ${id}, ${mail}, ${role}, ${hash}, now() + make_interval(days => ${invitationDays}), ${by}
        where not exists (${members}) and ${isMember(organizationId, by)} and (
          select count(*) < ${maxInvitationsPerDay} from operator_actions
            where organization_id = ${organizationId} and command = 'person invite' and started_at > now() - interval '1 day')
        on conflict (organization_id, mail) do update set id = excluded.id, role = excluded.role,
          token_hash = ${hash}, expires_at = excluded.expires_at, invited_by = excluded.invited_by, created_at = now()
          where not ${isRecent}
        returning 1`,
    ),
  })
  if (made.length > 0) return { outcome: 'invited', token }
  return { outcome: found.length > 0 ? 'member' : recent.length > 0 ? 'recent' : 'limited' }
}

interface Invitation {
  organization_name: string
  mail: string
  role: Role
}

export async function findInvitation(db: Database, token: string): Promise<Invitation | undefined> {
  const { rows } =
    await sql<Invitation>`select organization_name, mail, role from find_invitation(${hashToken(token)})`.execute(db)
  return rows[0]
}

/** Makes the invited person a member. Undefined if the invitation has ended or was accepted. */
export async function acceptInvitation(db: Database, token: string) {
  const { rows } = await sql<{ mail: string; organization_id: OrganizationId }>`
    select * from accept_invitation(${hashToken(token)}, ${newId()}, ${newId()})`.execute(db)
  return rows[0]
}

/** Keeps the row, and with it the time of its mail. @returns false if the invitation has ended or was accepted */
export async function withdrawInvitation(
  db: Database,
  organizationId: OrganizationId,
  { id, by }: { id: string; by: string },
): Promise<boolean> {
  const { rows } = await changeWithRecord(
    { organizationId, by, command: 'person withdraw', args: [id] },
    sql`update invitations i set expires_at = now()
      where i.organization_id = ${organizationId} and i.id = ${id} and i.expires_at > now() returning 1`,
  ).execute(db)
  return rows.length > 0
}

/** What a member has created that is revoked when they are removed. */
export const revocable = ['keys', 'invitations'] as const
export type Revocable = (typeof revocable)[number]

interface Change {
  id: string
  role: Role | null
  /** The id of an owner. */
  by: string
  /** Only for a removal. */
  revoke?: readonly Revocable[]
}

/**
 * Gives a member another role or, with null, removes them: sessions and connected apps end at once.
 * @returns `last_owner` if the organization would have no owner
 */
export async function changeMember(
  db: Database,
  organizationId: OrganizationId,
  { id, role, by, revoke = [] }: Change,
): Promise<'changed' | 'last_owner' | 'gone'> {
  const isCurrent = sql`m.organization_id = ${organizationId} and m.removed_at is null`
  const removed = sql`(select m.organization_id, m.person_id from memberships m
    where m.organization_id = ${organizationId} and m.person_id = ${id} and m.removed_at is not null)`
  const ofRemoved = sql`where (organization_id, person_id) in ${removed}`
  const chosen = (each: Revocable) => sql`${revoke.includes(each)}::boolean`
  const { members, changed } = await db.batch({
    members: sql<{ person_id: string }>`select m.person_id from memberships m
      where ${isCurrent} and (m.role = 'owner' or m.person_id = ${id}) order by m.person_id for update`,
    changed: changeWithRecord(
      { organizationId, by, command: role ? 'person role' : 'person remove', args: [id, ...(role ? [role] : revoke)] },
      sql`update memberships m
        set role = coalesce(${role}, m.role), removed_at = case when ${role}::text is null then now() end
        where ${isCurrent} and m.person_id = ${id} and (${role} is not distinct from 'owner' or exists (
          select from memberships o where o.organization_id = ${organizationId} and o.removed_at is null
            and o.role = 'owner' and o.person_id <> ${id}))
        returning 1`,
    ),
    sessions: sql`delete from sessions ${ofRemoved}`,
    connections: sql`delete from connections ${ofRemoved}`,
    keys: revokeTree(sql`(k.organization_id, k.created_by_person) in ${removed}`, chosen('keys')),
    invitations: sql`update invitations i set expires_at = now()
      where (i.organization_id, i.invited_by) in ${removed} and i.expires_at > now() and ${chosen('invitations')}`,
  })
  if (changed.length > 0) return 'changed'
  return members.some(({ person_id }) => person_id === id) ? 'last_owner' : 'gone'
}

interface Membership {
  id: OrganizationId
  name: string
  role: Role
}

/** The organizations of the person who has this session. */
export async function listMemberships(db: Database, tokenHash: Buffer): Promise<Membership[]> {
  const { rows } = await sql<Membership>`select * from memberships_of(${tokenHash})`.execute(db)
  return rows
}

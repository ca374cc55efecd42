import { sql } from 'kysely'
import type { Database } from '../../shared/database/database.ts'
import { type EraseOptions, type Erasure, erase, listErasures } from '../../shared/erasure/erase.ts'
import type { AgentId, OrganizationId } from '../../shared/ids.ts'

/** Erasures and revocations that a restore must repeat. */
export interface Removals {
  erasures: { id: string; kind: string; organization_id: string; agent_id: string | null; requested_at: string }[]
  revoked_keys: string[]
  /** Absent in lists that older releases made. */
  removed_members?: { organization_id: string; person_id: string; removed_at: string }[]
}

type Select = <Row extends object>(statement: string) => Promise<Row[]>

/** Lists the removals of a database, which may be that of a release without members. */
export async function selectRemovals(select: Select): Promise<Removals> {
  const [{ has_members } = { has_members: false }] = await select<{ has_members: boolean }>(
    `select to_regclass('memberships') is not null as has_members`,
  )
  const members = has_members
    ? `select organization_id, person_id, removed_at from memberships where removed_at is not null`
    : ''
  const [found] = await select<{ removals: Removals }>(`select json_build_object(
    'erasures', (select coalesce(json_agg(e), '[]') from (select id, kind, organization_id, agent_id, requested_at from erasures) e),
    'revoked_keys', (select coalesce(json_agg(id), '[]') from api_keys where revoked_at is not null),
    'removed_members', (select coalesce(json_agg(m), '[]') from (${members || 'select where false'}) m)) as removals`)
  return found!.removals
}

export function removalsIn(db: Database): Promise<Removals> {
  return selectRemovals(
    async <Row extends object>(statement: string) => (await sql.raw<Row>(statement).execute(db)).rows,
  )
}

/** Repeats removals, and ends all sessions and tokens, as ended ones would work again. May run again. @param db as its owner @returns the erasures, and the number of revoked keys */
export async function removeAgain(db: Database, lists: Removals[], options: EraseOptions) {
  const erasures = lists.flatMap((list) => list.erasures)
  const revokedKeys = lists.flatMap((list) => list.revoked_keys)
  const members = lists.flatMap((list) => list.removed_members ?? [])
  const { revoked } = await db.batch({
    added: sql`insert into erasures (id, kind, organization_id, agent_id, requested_at)
      select id, kind, organization_id, agent_id, requested_at
      from jsonb_populate_recordset(null::erasures, ${JSON.stringify(erasures)}::jsonb) on conflict do nothing`,
    revoked: sql`update api_keys set revoked_at = now()
      where id = any(${revokedKeys}::uuid[]) and revoked_at is null returning id`,
    // Whoever joined again since stays.
    removed: sql`update memberships m set removed_at = r.removed_at
      from jsonb_populate_recordset(null::memberships, ${JSON.stringify(members)}::jsonb) r
      where (m.organization_id, m.person_id) = (r.organization_id, r.person_id)
        and m.removed_at is null and m.created_at < r.removed_at`,
    signedOut: sql`delete from sessions`,
    disconnected: sql`delete from connections`,
  })
  const erased: Erasure[] = []
  for (const { organization_id, agent_id } of await erasuresWithRows(db)) {
    const organizationId = organization_id as OrganizationId
    erased.push(await erase(db, { organizationId, agentId: (agent_id as AgentId | null) ?? undefined }, options))
  }
  return { erased, revoked: revoked.length }
}

/** Erasures whose organization or agent still exists, because a restore has brought it back or the erasure was interrupted. */
export async function erasuresWithRows(db: Database): Promise<Erasure[]> {
  const isPresent = sql<boolean>`case when agent_id is null then organization_id in (select id from organizations)
    else (organization_id, agent_id) in (select organization_id, id from agents) end`
  return await listErasures(db).where(isPresent).execute()
}

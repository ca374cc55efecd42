import { sql } from 'kysely'
import type { Database } from '../../shared/database/database.ts'
import type { AgentId, OrganizationId } from '../../shared/ids.ts'
import { type EraseOptions, type Erasure, erase, listErasures } from '../admin/erasure/erase.ts'

/** What a restore must not bring back. */
export interface Removals {
  erasures: { id: string; kind: string; organization_id: string; agent_id: string | null; requested_at: string }[]
  revoked_keys: string[]
}

export const selectRemovals = `select json_build_object(
  'erasures', (select coalesce(json_agg(e), '[]') from (select id, kind, organization_id, agent_id, requested_at from erasures) e),
  'revoked_keys', (select coalesce(json_agg(id), '[]') from api_keys where revoked_at is not null)) as removals`

export async function removalsIn(db: Database): Promise<Removals> {
  const { rows } = await sql.raw<{ removals: Removals }>(selectRemovals).execute(db)
  return rows[0]!.removals
}

/** Removes again what is there again. Interrupted, a second run continues. @param db as its owner @returns what was erased, and the number of keys revoked */
export async function removeAgain(db: Database, lists: Removals[], options: EraseOptions) {
  const erasures = lists.flatMap((list) => list.erasures)
  const revokedKeys = lists.flatMap((list) => list.revoked_keys)
  const { revoked } = await db.batch({
    added: sql`insert into erasures (id, kind, organization_id, agent_id, requested_at)
      select id, kind, organization_id, agent_id, requested_at
      from jsonb_populate_recordset(null::erasures, ${JSON.stringify(erasures)}::jsonb) on conflict do nothing`,
    revoked: sql`update api_keys set revoked_at = now()
      where id = any(${revokedKeys}::uuid[]) and revoked_at is null returning id`,
  })
  const erased: Erasure[] = []
  for (const { organization_id, agent_id } of await erasuresWithRows(db)) {
    const organizationId = organization_id as OrganizationId
    erased.push(await erase(db, { organizationId, agentId: (agent_id as AgentId | null) ?? undefined }, options))
  }
  return { erased, revoked: revoked.length }
}

/** Erasures whose organization or agent is there: a restore has brought it back, or the erasure did not end. */
export async function erasuresWithRows(db: Database): Promise<Erasure[]> {
  const isPresent = sql<boolean>`case when agent_id is null then organization_id in (select id from organizations)
    else (organization_id, agent_id) in (select organization_id, id from agents) end`
  return await listErasures(db).where(isPresent).execute()
}

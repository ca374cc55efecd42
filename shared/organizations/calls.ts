import { sql } from 'kysely'
import type { Database } from '../database/database.ts'
import type { OrganizationId } from '../ids.ts'
import type { Organizations } from './keys.ts'

export const callColumns = ['id', 'organization_id', 'agent_id', 'done_at', 'deleted_at', 'created_at'] as const

export interface TrashedCall {
  id: string
  agent_id: string
  agent_name: string
  created_at: Date
  deleted_at: Date
}

export async function listTrash(
  db: Database,
  organizationId: OrganizationId,
  { limit, after }: { limit: number; after?: Pick<TrashedCall, 'deleted_at' | 'id'> | undefined },
) {
  const isNext = after ? sql`(c.deleted_at, c.id) < (${after.deleted_at}::timestamptz, ${after.id}::uuid)` : sql`true`
  const { rows: calls } = await sql<TrashedCall>`${trash(organizationId)} and ${isNext}
    order by c.deleted_at desc, c.id desc limit ${limit + 1}`.execute(db)
  return { calls: calls.slice(0, limit), hasMore: calls.length > limit }
}

function trash(organizationId: OrganizationId) {
  return sql`select c.id, c.deleted_at, c.created_at, c.agent_id, a.name as agent_name
    from calls c join agents a on a.organization_id = c.organization_id and a.id = c.agent_id
    where c.organization_id = ${organizationId} and c.deleted_at is not null and is_kept(c.agent_id)`
}

const isInTrash = (organization: Organizations, id: string) =>
  sql<boolean>`(organization_id = ${organization} and id = ${id} and deleted_at is not null)`

/** Restores a call; one that is done stays done. No row if it is not in the trash. */
export function restoreCall(db: Database, organization: Organizations, id: string) {
  return db.updateTable('calls').set({ deleted_at: null }).where(isInTrash(organization, id)).returning(callColumns)
}

export function purgeCall(db: Database, organization: Organizations, id: string) {
  return db.deleteFrom('calls').where(isInTrash(organization, id)).returning(callColumns)
}

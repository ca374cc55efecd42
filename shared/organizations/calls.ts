import { type NotNull, sql } from 'kysely'
import { columnsOf } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import type { OrganizationId } from '../ids.ts'
import type { Organizations } from './keys.ts'

export const callColumns = ['id', 'organization_id', 'agent_id', 'done_at', 'deleted_at', 'created_at'] as const

const c = columnsOf('calls', 'c')

export interface TrashedCall {
  id: string
  agent_name: string
  created_at: Date
  deleted_at: Date
}

export async function listTrash(
  db: Database,
  organizationId: OrganizationId,
  { limit, after }: { limit: number; after?: Pick<TrashedCall, 'deleted_at' | 'id'> | undefined },
) {
  const isNext = after
    ? sql<boolean>`(${c.deleted_at}, ${c.id}) < (${after.deleted_at}::timestamptz, ${after.id}::uuid)`
    : sql<boolean>`true`
  const calls = await trash(db, organizationId)
    .where(isNext)
    .orderBy('c.deleted_at', 'desc')
    .orderBy('c.id', 'desc')
    .limit(limit + 1)
    .execute()
  return { calls: calls.slice(0, limit), hasMore: calls.length > limit }
}

export async function findInTrash(
  db: Database,
  organizationId: OrganizationId,
  id: string,
): Promise<TrashedCall | undefined> {
  return await trash(db, organizationId).where('c.id', '=', id).executeTakeFirst()
}

function trash(db: Database, organizationId: OrganizationId) {
  return db
    .selectFrom('calls as c')
    .innerJoin('agents as a', (join) =>
      join.onRef('a.organization_id', '=', 'c.organization_id').onRef('a.id', '=', 'c.agent_id'),
    )
    .select(['c.id', 'c.deleted_at', 'c.created_at', 'a.name as agent_name'])
    .where('c.organization_id', '=', organizationId)
    .where('c.deleted_at', 'is not', null)
    .$narrowType<{ deleted_at: NotNull }>()
}

/** A call that is done stays done. No row when it is not in the trash. */
export function restoreCall(db: Database, organization: Organizations, id: string) {
  return db
    .updateTable('calls')
    .set({ deleted_at: null })
    .where('organization_id', '=', organization)
    .where('id', '=', id)
    .where('deleted_at', 'is not', null)
    .returning(callColumns)
}

export function purgeCall(db: Database, organization: Organizations, id: string) {
  return db
    .deleteFrom('calls')
    .where('organization_id', '=', organization)
    .where('id', '=', id)
    .where('deleted_at', 'is not', null)
    .returning(callColumns)
}

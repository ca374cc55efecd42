import { sql } from 'kysely'
import type { Database } from '../../shared/database/database.ts'
import type { OrganizationId } from '../../shared/ids.ts'
import { cut, everyOrganization, listOf } from './lists.ts'
import { CommandError } from './refusal.ts'

export interface CallsQuery {
  /** Those in the trash, latest first, or those that are not. */
  trash: boolean
  organizationId?: OrganizationId | undefined
  limit: number
}

interface Call {
  id: string
  organization_id: string
  agent_id: string
  done_at: Date | null
  deleted_at: Date | null
  created_at: Date
}

/** @throws CommandError when there is no such organization */
export async function listCalls(db: Database, { trash, organizationId, limit }: CallsQuery) {
  const calls = sql<Call>`
    select id, organization_id, agent_id, done_at, deleted_at, created_at
    from calls
    where ${organizationId ? sql`organization_id = ${organizationId}` : sql`true`}
      and ${trash ? sql`deleted_at is not null` : sql`deleted_at is null`}
    order by coalesce(deleted_at, created_at) desc, id
    limit ${limit + 1}`
  return cut(organizationId ? await listOf(db, organizationId, calls) : (await calls.execute(db)).rows, limit)
}

/** Takes a call out of the trash. It stays out, done as it is. @throws CommandError when it is not in the trash */
export function restoreCall(db: Database, id: string) {
  return changeTrashed(db, id, sql`update calls set deleted_at = null where ${isTrashed(id)} returning *`)
}

/** Deletes a call of the trash for good. @throws CommandError when it is not in the trash */
export function purgeCall(db: Database, id: string) {
  return changeTrashed(db, id, sql`delete from calls where ${isTrashed(id)} returning *`)
}

const isCall = (id: string) => sql<boolean>`organization_id = any(${everyOrganization}) and id = ${id}`
const isTrashed = (id: string) => sql<boolean>`${isCall(id)} and deleted_at is not null`

async function changeTrashed(db: Database, id: string, change: ReturnType<typeof sql<Call>>): Promise<Call> {
  const [found, [changed]] = await db.batch(sql`select from calls where ${isCall(id)}`, change)
  if (changed) return changed
  throw new CommandError(found.length === 0 ? `there is no call ${id}` : `call ${id} is not in the trash`)
}

import type { Selectable } from 'kysely'
import type { Database, Statement } from '../../shared/database/database.ts'
import type { Tables } from '../../shared/database/tables.ts'
import type { OrganizationId } from '../../shared/ids.ts'
import { CommandError } from './command-error.ts'
import { anyOrganization, rowsOf, toPage } from './lists.ts'

export interface CallsQuery {
  trash: boolean
  organizationId?: OrganizationId | undefined
  limit: number
}

type Call = Selectable<Tables['calls']>
const columns = ['id', 'organization_id', 'agent_id', 'done_at', 'deleted_at', 'created_at'] as const

/** Latest first. @throws CommandError when the organization does not exist */
export async function listCalls(db: Database, { trash, organizationId, limit }: CallsQuery) {
  let calls = db
    .selectFrom('calls')
    .select(columns)
    .where('deleted_at', trash ? 'is not' : 'is', null)
    .orderBy((eb) => eb.fn.coalesce('deleted_at', 'created_at'), 'desc')
    .orderBy('id')
    .limit(limit + 1)
  if (!organizationId) return toPage(await calls.execute(), limit)
  calls = calls.where('organization_id', '=', organizationId)
  return toPage(await rowsOf(db, organizationId, calls), limit)
}

/** A call that is done stays done. @throws CommandError when it is not in the trash */
export function restoreCall(db: Database, id: string): Promise<Call> {
  const restored = db
    .updateTable('calls')
    .set({ deleted_at: null })
    .where('organization_id', '=', anyOrganization)
    .where('id', '=', id)
    .where('deleted_at', 'is not', null)
    .returning(columns)
  return changeInTrash(db, id, restored)
}

/** For good. @throws CommandError when the call is not in the trash */
export function purgeCall(db: Database, id: string): Promise<Call> {
  const purged = db
    .deleteFrom('calls')
    .where('organization_id', '=', anyOrganization)
    .where('id', '=', id)
    .where('deleted_at', 'is not', null)
    .returning(columns)
  return changeInTrash(db, id, purged)
}

async function changeInTrash(db: Database, id: string, change: Statement<Call>): Promise<Call> {
  const found = db.selectFrom('calls').select('id').where('organization_id', '=', anyOrganization).where('id', '=', id)
  const results = await db.batch({ found, changed: change })
  const [changed] = results.changed
  if (changed) return changed
  throw new CommandError(results.found.length === 0 ? `no such call: ${id}` : `call ${id} is not in the trash`)
}

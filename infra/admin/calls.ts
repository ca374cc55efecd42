import type { Selectable } from 'kysely'
import type { Database, Statement } from '../../shared/database/database.ts'
import type { Tables } from '../../shared/database/tables.ts'
import type { OrganizationId } from '../../shared/ids.ts'
import * as calls from '../../shared/organizations/calls.ts'
import { CommandError } from './command-error.ts'
import { anyOrganization, rowsOf, toPage } from './lists.ts'

export interface CallsQuery {
  trash: boolean
  organizationId?: OrganizationId | undefined
  limit: number
}

type Call = Selectable<Tables['calls']>

/** Latest first. @throws CommandError when the organization does not exist */
export async function listCalls(db: Database, { trash, organizationId, limit }: CallsQuery) {
  let query = db
    .selectFrom('calls')
    .select(calls.callColumns)
    .where('deleted_at', trash ? 'is not' : 'is', null)
    .orderBy((eb) => eb.fn.coalesce('deleted_at', 'created_at'), 'desc')
    .orderBy('id')
    .limit(limit + 1)
  if (!organizationId) return toPage(await query.execute(), limit)
  query = query.where('organization_id', '=', organizationId)
  return toPage(await rowsOf(db, organizationId, query), limit)
}

/** @throws CommandError when it is not in the trash */
export function restoreCall(db: Database, id: string): Promise<Call> {
  return changeInTrash(db, id, calls.restoreCall(db, anyOrganization, id))
}

/** @throws CommandError when the call is not in the trash */
export function purgeCall(db: Database, id: string): Promise<Call> {
  return changeInTrash(db, id, calls.purgeCall(db, anyOrganization, id))
}

async function changeInTrash(db: Database, id: string, change: Statement<Call>): Promise<Call> {
  const found = db.selectFrom('calls').select('id').where('organization_id', '=', anyOrganization).where('id', '=', id)
  const results = await db.batch({ found, changed: change })
  const [changed] = results.changed
  if (changed) return changed
  throw new CommandError(results.found.length === 0 ? `no such call: ${id}` : `call ${id} is not in the trash`)
}

import type { Database } from '../database/database.ts'
import { invalidKey } from '../http/sent-key.ts'
import type { OrganizationId } from '../ids.ts'

const columns = ['id', 'name', 'auto_delete_done_calls', 'created_at'] as const

/** @throws ApiError invalid_api_key if the organization was deleted after its key was verified */
export async function getOrganization(db: Database, id: OrganizationId) {
  return await db
    .selectFrom('organizations')
    .select(columns)
    .where('id', '=', id)
    .executeTakeFirstOrThrow(() => invalidKey())
}

/** Applies to calls that are marked as done from now on. @throws ApiError invalid_api_key when it has been deleted in between */
export async function updateOrganization(
  db: Database,
  id: OrganizationId,
  settings: { auto_delete_done_calls: boolean },
) {
  const updated = db.updateTable('organizations').set(settings).where('id', '=', id).returning(columns)
  return await updated.executeTakeFirstOrThrow(() => invalidKey())
}

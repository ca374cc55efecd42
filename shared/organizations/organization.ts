import type { Database } from '../database/database.ts'
import type { OrganizationId } from '../ids.ts'

const columns = ['id', 'name', 'auto_delete_done_calls', 'created_at'] as const

/** The organization of a verified key: a foreign key guarantees that it exists. */
export function getOrganization(db: Database, id: OrganizationId) {
  return db.selectFrom('organizations').select(columns).where('id', '=', id).executeTakeFirstOrThrow()
}

/** Applies to calls that are marked as done from now on. */
export function updateOrganization(db: Database, id: OrganizationId, settings: { auto_delete_done_calls: boolean }) {
  return db.updateTable('organizations').set(settings).where('id', '=', id).returning(columns).executeTakeFirstOrThrow()
}

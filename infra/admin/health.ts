import { sql } from 'kysely'
import type { Database } from '../../shared/database/database.ts'
import type { Status } from '../../shared/database/tables.ts'

const maxDocuments = 10_000

export async function checkDocuments(db: Database) {
  const { statuses, work, agents } = await db.batch({
    statuses: db
      .selectFrom('documents')
      .select((eb) => ['status', eb.cast<number>(eb.fn.countAll(), 'integer').as('count')])
      .groupBy('status'),
    work: db
      .selectFrom('documents')
      .select((eb) => [
        sql<number>`coalesce(extract(epoch from now() - ${eb.fn.min('pending_since')}), 0)::int`.as(
          'oldest_pending_seconds',
        ),
        eb
          .cast<number>(eb.fn.countAll().filterWhere('lease_expires_at', '<', sql<Date>`now()`), 'integer')
          .as('expired_leases'),
      ])
      .where('managed_by', '=', 'service')
      .where('status', 'in', ['pending', 'processing']),
    agents: db
      .selectFrom('agents')
      .select(['organization_id', 'id', 'name', 'document_count'])
      .where('document_count', '>=', maxDocuments)
      .orderBy('organization_id')
      .orderBy('id'),
  })
  const documents: Record<Status, number> = { pending: 0, processing: 0, completed: 0, error: 0 }
  for (const { status, count } of statuses) documents[status] = count
  return { documents, ...work[0]!, agents_at_document_limit: agents }
}

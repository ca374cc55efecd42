import { sql } from 'kysely'
import type { Database } from '../../shared/database/database.ts'
import type { Status } from '../../shared/database/tables.ts'

const maxDocuments = 10_000

/** What the database tells about the state of the whole system, at one moment. */
export async function checkDocuments(db: Database) {
  const [counts, [work], agents] = await db.batch(
    sql<{ status: Status; count: number }>`select status, count(*)::int as count from documents group by status`,
    sql<{ oldest_pending_seconds: number; expired_leases: number }>`
      select coalesce(extract(epoch from now() - min(pending_since)), 0)::int as oldest_pending_seconds,
        (count(*) filter (where lease_expires_at < now()))::int as expired_leases
      from documents
      where managed_by = 'service' and status in ('pending', 'processing')`,
    sql<{ organization_id: string; id: string; name: string; document_count: number }>`
      select organization_id, id, name, document_count from agents
      where document_count >= ${maxDocuments} order by organization_id, id`,
  )
  const documents: Record<Status, number> = { pending: 0, processing: 0, completed: 0, error: 0 }
  for (const { status, count } of counts) documents[status] = count
  return { documents, ...work!, agents_at_document_limit: agents }
}

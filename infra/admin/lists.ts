import { sql } from 'kysely'
import { columnsOf } from '../../shared/database/columns.ts'
import type { Database, Statement } from '../../shared/database/database.ts'
import type { Status } from '../../shared/database/tables.ts'
import type { OrganizationId } from '../../shared/ids.ts'
import { organizationNotFound } from '../command-line/command-error.ts'

const o = columnsOf('organizations', 'o')

/** Serves only look-ups by id: `organization_id = any(…)` lets them use the primary key, whose first column is the organization. */
const everyOrganization = sql`array(select ${o.id} from organizations o)`
export const anyOrganization = sql<OrganizationId>`any(${everyOrganization})`

export async function rowsOf<Row>(db: Database, id: OrganizationId, query: Statement<Row>): Promise<Row[]> {
  const organization = db.selectFrom('organizations').select('id').where('id', '=', id)
  const results = await db.batch({ organization, rows: query })
  if (results.organization.length === 0) organizationNotFound(id)
  return results.rows
}

export interface StatusCount {
  status: Status
  count: number
}

export function byStatus(counts: StatusCount[]): Record<Status, number> {
  const found = Object.fromEntries(counts.map(({ status, count }) => [status, count]))
  return { pending: 0, processing: 0, completed: 0, error: 0, ...found }
}

export function toPage<Row>(rows: Row[], limit: number): { data: Row[]; has_more: boolean } {
  return { data: rows.slice(0, limit), has_more: rows.length > limit }
}

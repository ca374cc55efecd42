import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../shared/database/database.ts'
import type { OrganizationId } from '../../shared/ids.ts'
import { noOrganization } from './refusal.ts'

/** For rows that are asked for by their id alone: their primary keys lead with the organization. */
export const everyOrganization = sql`array(select id from organizations)`

/** The query's rows. @throws CommandError when the organization that they are of does not exist */
export async function listOf<Row>(
  db: Database,
  organizationId: OrganizationId,
  query: RawBuilder<Row>,
): Promise<Row[]> {
  const [organizations, rows] = await db.batch(sql`select from organizations where id = ${organizationId}`, query)
  if (organizations.length === 0) noOrganization(organizationId)
  return rows
}

/** A list cut to `limit`, of rows read with `limit + 1`. */
export function cut<Row>(rows: Row[], limit: number): { data: Row[]; has_more: boolean } {
  return { data: rows.slice(0, limit), has_more: rows.length > limit }
}

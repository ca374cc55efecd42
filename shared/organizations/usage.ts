import { sql } from 'kysely'
import { columnsOf } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import type { OrganizationId } from '../ids.ts'

/** The limit is a check constraint of the table. */
export const maxDocumentsPerAgent = 10_000

const d = columnsOf('documents', 'd')

export interface AgentUsage {
  id: string
  name: string
  document_count: number
  chunk_count: number
  file_bytes: number
}

/** What each agent holds, newest first. */
export async function agentUsage(db: Database, organizationId: OrganizationId): Promise<AgentUsage[]> {
  return await db
    .selectFrom('agents as a')
    .innerJoinLateral(
      (eb) =>
        eb
          .selectFrom('documents as d')
          .select([
            sql<number>`coalesce(sum(${d.chunk_count}), 0)::int`.as('chunk_count'),
            sql<number>`coalesce(sum(${d.file_bytes}), 0)::float8`.as('file_bytes'),
          ])
          .whereRef('d.organization_id', '=', 'a.organization_id')
          .whereRef('d.agent_id', '=', 'a.id')
          .as('held'),
      (join) => join.onTrue(),
    )
    .select(['a.id', 'a.name', 'a.document_count', 'held.chunk_count', 'held.file_bytes'])
    .where('a.organization_id', '=', organizationId)
    .orderBy('a.id', 'desc')
    .limit(100)
    .execute()
}

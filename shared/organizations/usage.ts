import { sql } from 'kysely'
import type { Database } from '../database/database.ts'
import type { OrganizationId } from '../ids.ts'

/** The database's function `admit_documents` has the same limit. */
export const maxDocumentsPerAgent = 10_000

export interface AgentUsage {
  name: string
  document_count: number
}

/** The contents of each agent, newest agent first. */
export async function agentUsage(db: Database, organizationId: OrganizationId): Promise<AgentUsage[]> {
  const { rows } = await sql<AgentUsage>`
    select a.name, (select count(*)::int from documents d
      where d.organization_id = a.organization_id and d.agent_id = a.id and d.deleted_at is null) as document_count
    from agents a where a.organization_id = ${organizationId} and is_kept(a.id) order by a.id desc limit 100`.execute(
    db,
  )
  return rows
}

import { type RawBuilder, sql } from 'kysely'
import { columnsOf } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { type AgentScope, isAgent } from '../database/scope.ts'
import type { Status } from '../database/tables.ts'
import { agentNotFound } from '../http/not-found.ts'
import type { OrganizationId } from '../ids.ts'

const a = columnsOf('agents', 'a')
const d = columnsOf('documents', 'd')

export interface AgentRow {
  id: string
  name: string
  knowledge_base_enabled: boolean
  documents: Record<Status, number>
  created_at: Date
}

interface AgentsPage {
  agents: AgentRow[]
  hasMore: boolean
}

/** Newest first, after the agent with the given id: ids are made in the order of time. */
export async function listAgents(
  db: Database,
  organizationId: OrganizationId,
  { limit, after }: { limit: number; after?: string | undefined },
): Promise<AgentsPage> {
  const isNext = after === undefined ? sql`true` : sql`${a.id} < ${after}::uuid`
  const condition = sql<boolean>`(${a.organization_id} = ${organizationId} and ${isNext})`
  const agents = await newestAgents(db, condition, limit + 1).execute()
  return { agents: agents.slice(0, limit), hasMore: agents.length > limit }
}

export async function getAgent(db: Database, scope: AgentScope): Promise<AgentRow> {
  const [agent] = await newestAgents(db, isAgent(scope), 1).execute()
  return agent ?? agentNotFound()
}

/** Counts only these agents' documents, and only from an index. */
function newestAgents(db: Database, condition: RawBuilder<boolean>, limit: number) {
  const count = (status: Status) => sql`${sql.lit(status)}, count(*) filter (where ${d.status} = ${sql.lit(status)})`
  const counts = sql.join((['pending', 'processing', 'completed', 'error'] as const).map(count))
  return db
    .selectFrom((eb) =>
      eb
        .selectFrom('agents as a')
        .select(['a.organization_id', 'a.id', 'a.name', 'a.knowledge_base_enabled', 'a.created_at'])
        .where(condition)
        .orderBy('a.id', 'desc')
        .limit(limit)
        .as('newest'),
    )
    .innerJoinLateral(
      (eb) =>
        eb
          .selectFrom('documents as d')
          .select(sql<Record<Status, number>>`json_build_object(${counts})`.as('documents'))
          .whereRef('d.organization_id', '=', 'newest.organization_id')
          .whereRef('d.agent_id', '=', 'newest.id')
          .as('counted'),
      (join) => join.onTrue(),
    )
    .select(['newest.id', 'newest.name', 'newest.knowledge_base_enabled', 'counted.documents', 'newest.created_at'])
    .orderBy('newest.id', 'desc')
}

import { type RawBuilder, sql } from 'kysely'
import { columnsOf } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { type AgentScope, isAgent } from '../database/scope.ts'
import type { Status } from '../database/tables.ts'
import { agentNotFound } from '../http/not-found.ts'
import { type AgentId, newId, type OrganizationId } from '../ids.ts'

const a = columnsOf('agents', 'a')

export interface AgentRow {
  id: string
  name: string
  /** Null, which means UTC, if nobody has chosen one. */
  time_zone: string | null
  holidays: string | null
  knowledge_base_enabled: boolean
  documents: Record<Status, number>
  embedding: { model: string | null; next: NextModel | null }
  created_at: Date
}

/** The fields that people choose. */
export interface AgentFields {
  name: string
  time_zone?: string | undefined
  holidays?: string | null | undefined
}

interface NextModel {
  model: string
  embedded: number
  total: number
  waiting: string | null
}

/** Lists agents, newest first, after the one with the given id: ids are made in the order of time. */
export async function listAgents(
  db: Database,
  organizationId: OrganizationId,
  { limit, after }: { limit: number; after?: string | undefined },
): Promise<{ agents: AgentRow[]; hasMore: boolean }> {
  const isNext = after === undefined ? sql`true` : sql`${a.id} < ${after}::uuid`
  const condition = sql<boolean>`(${a.organization_id} = ${organizationId} and ${isNext})`
  const { rows: agents } = await newestAgents(condition, limit + 1).execute(db)
  return { agents: agents.slice(0, limit), hasMore: agents.length > limit }
}

export async function getAgent(db: Database, scope: AgentScope): Promise<AgentRow> {
  const { rows } = await newestAgents(isAgent(scope), 1).execute(db)
  return rows[0] ?? agentNotFound()
}

export async function createAgent(
  db: Database,
  organizationId: OrganizationId,
  fields: AgentFields,
): Promise<AgentRow> {
  const id = newId() as AgentId
  await db
    .insertInto('agents')
    .values({ organization_id: organizationId, id, ...fields })
    .execute()
  return await getAgent(db, { organizationId, agentId: id })
}

/** Changes the given fields, at least one. With a new place, the sweeper looks for its holidays again. @throws ApiError agent_not_found */
export async function updateAgent(db: Database, scope: AgentScope, changes: Partial<AgentFields>): Promise<AgentRow> {
  const isMoved = changes.holidays !== undefined || changes.time_zone !== undefined
  const unchecked = isMoved && { missing_holidays: '[]', holidays_due_at: sql<Date>`now()` }
  await db
    .updateTable('agents as a')
    .set({ ...changes, ...unchecked })
    .where(isAgent(scope))
    .execute()
  return await getAgent(db, scope)
}

/** The model of the agent `a`, and the progress of a change: the chunks with a vector of the next model, from an index, of those that search finds. */
export const embeddingOf = sql`json_build_object('model', a.model, 'next', case when a.next_model is not null then (
  select json_build_object('model', a.next_model, 'embedded', case when a.former_model is null then least(e.embedded, e.total) else 0 end,
    'total', e.total, 'waiting', a.model_waiting)
  from (
    select (
      select count(*) from chunks c
      where c.organization_id = a.organization_id and c.agent_id = a.id and c.other_vector_id is not null) as embedded, (
      select coalesce(sum(d.searchable_chunk_count), 0) from documents d
      where d.organization_id = a.organization_id and d.agent_id = a.id) as total) e) end)`

/** Agents that are not being erased. Counts only their documents, and only from an index. */
function newestAgents(condition: RawBuilder<boolean>, limit: number) {
  return sql<AgentRow>`
    select newest.id, newest.name, newest.time_zone, newest.holidays, newest.knowledge_base_enabled, counted.documents, newest.embedding, newest.created_at
    from (
      select a.organization_id, a.id, a.name, a.time_zone, a.holidays, a.knowledge_base_enabled, a.created_at, ${embeddingOf} as embedding
      from agents a where ${condition} and is_kept(a.id) order by a.id desc limit ${limit}) newest
    cross join lateral (
      select json_build_object(
        'pending', count(*) filter (where d.status = 'pending'),
        'processing', count(*) filter (where d.status = 'processing'),
        'completed', count(*) filter (where d.status = 'completed'),
        'error', count(*) filter (where d.status = 'error')) as documents
      from documents d where d.organization_id = newest.organization_id and d.agent_id = newest.id and d.deleted_at is null) counted
    order by newest.id desc`
}

import { sql } from 'kysely'
import type { Database } from '../shared/database/database.ts'
import { embeddingOf } from '../shared/organizations/agents.ts'

/**
 * Starts the change of every agent with another model to this one, in the background. A current change to a third model ends, and this
 * model's kept vectors are used. @param assumed the model of agents that have vectors and name no model
 * @returns the number of agents that begin to change, or that return
 */
export async function changeModels(db: Database, model: string, assumed: string): Promise<number> {
  const kept = sql`coalesce(a.former_model, a.next_model)`
  const serving = sql`coalesce(a.model, ${assumed}::text)`
  const { numAffectedRows } =
    await sql`update agents a set model = ${serving}, next_model = nullif(${model}, ${serving}),
      former_model = nullif(${kept}, ${model}), former_until = case when ${kept} <> ${model} then now() end,
      model_due_at = now(), model_waiting = null
    where a.next_model is distinct from nullif(${model}, ${serving}) and (a.model is not null or exists (
      select from chunks c where c.organization_id = a.organization_id and c.agent_id = a.id and c.vector_id is not null))`.execute(
      db,
    )
  return Number(numAffectedRows)
}

/** Ends the period in which changed agents may return to their former model at no cost. */
export async function deleteFormerModels(db: Database): Promise<void> {
  await sql`update agents set former_until = now(), model_due_at = now() where former_model is not null`.execute(db)
}

interface ModelCount {
  model: string
  agents: number
  /** The number of agents whose former model's vectors are kept. */
  may_return: number
}

/** Counts each model's agents, and lists the agents that are changing, waiting ones first. */
export async function findModels(db: Database) {
  const { models, changing } = await db.batch({
    models: sql<ModelCount>`select model, count(*)::int as agents,
        (count(*) filter (where former_model is not null and next_model is null))::int as may_return
      from agents where model is not null group by model order by model`,
    changing: sql<{ agent: string; from: string; to: string; embedded: number; total: number; waiting: string | null }>`
      select a.id as agent, a.model as from, a.next_model as to, (e.embedding -> 'next' ->> 'embedded')::int as embedded,
        (e.embedding -> 'next' ->> 'total')::int as total, a.model_waiting as waiting
      from agents a cross join lateral (select ${embeddingOf}::jsonb as embedding) e
      where a.next_model is not null order by a.model_waiting nulls last, a.id limit 100`,
  })
  return { models, changing }
}

import { sql } from 'kysely'
import type { Database } from '../shared/database/database.ts'
import { embeddingOf } from '../shared/organizations/agents.ts'

/**
 * Has every agent that is served by another model change to this one, in the background. A change under way to a third model ends; the
 * vectors that are kept are used if they are of this model. @param assumed serves agents that have vectors and name no model
 * @returns how many agents begin, or return
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

/** Ends the time in which agents that have changed may return at no cost. */
export async function deleteFormerModels(db: Database): Promise<void> {
  await sql`update agents set former_until = now(), model_due_at = now() where former_model is not null`.execute(db)
}

export interface ModelCount {
  model: string
  agents: number
  /** Whose former model's vectors are kept. */
  may_return: number
}

/** How many agents each model serves, and those that change, those that wait first. */
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

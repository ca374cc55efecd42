import { sql } from 'kysely'
import { columnsOf } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { type AgentScope, isAgent } from '../database/scope.ts'
import { Unavailable } from '../unavailable.ts'
import type { Embedder } from './embedder.ts'

const a = columnsOf('agents', 'a')

/** The embedder of a model; undefined if the settings name none for it. */
export function embedderOf(configured: Embedder, model: string): Embedder | undefined {
  return [configured, configured.previous].find((each) => each?.model === model)
}

/** The model of vectors that were stored before agents had a model. */
export function assumedModel({ model, previous }: Embedder): string {
  return previous?.model ?? model
}

/** The embedder whose model serves the agent; without a previous one, always the configured one. @throws Unavailable if neither has the model */
export async function servingEmbedder(db: Database, scope: AgentScope, configured: Embedder): Promise<Embedder> {
  if (!configured.previous) return configured
  const { agents } = await db.batch({
    agents: sql<{ model: string | null }>`select ${a.model} from agents a where ${isAgent(scope)}`,
  })
  const model = agents[0]?.model ?? assumedModel(configured)
  return embedderOf(configured, model) ?? notConfigured(model)
}

/** @throws Unavailable */
export function notConfigured(model: string): never {
  throw new Unavailable(
    'embedding_provider',
    new Error(`An agent is served by ${model}, which the settings do not name`),
  )
}

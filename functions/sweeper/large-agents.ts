import { sql } from 'kysely'
import type { Database } from '../../shared/database/database.ts'
import { describeError, log } from '../../shared/telemetry/log.ts'

const chunksPerTransaction = 1000
const minToAdd = 500

/**
 * The indexes that a search in a large agent reads instead of all its chunks: lists of terms, and clusters of sketches. They do not make
 * the search of a smaller agent faster.
 */
const kinds = {
  terms: { minChunks: 2000, agents: 'agents_to_list', step: 'list_chunks' },
  sketches: { minChunks: 10_000, agents: 'agents_to_cluster', step: 'cluster_chunks' },
} as const

/** Adds chunks of large agents to an index, in steps, while it may go on. @returns the number of chunks */
export async function indexLargeAgents(
  db: Database,
  kind: keyof typeof kinds,
  mayGoOn: () => boolean,
): Promise<number> {
  const { minChunks, agents, step } = kinds[kind]
  const { rows } = await sql<
    Record<'organization_id' | 'agent_id', string>
  >`select * from ${sql.id(agents)}(${minChunks}, ${minToAdd})`.execute(db)
  let added = 0
  for (const { organization_id, agent_id } of rows)
    try {
      for (let count = 1; count > 0 && mayGoOn(); added += count) {
        const call = sql<{ count: number }>`
          select ${sql.id(step)}(${organization_id}, ${agent_id}, ${chunksPerTransaction}) as count`
        count = (await call.execute(db)).rows[0]!.count
      }
    } catch (error) {
      log.error('agent_not_indexed', { kind, organization_id, agent_id, error: describeError(error) })
    }
  return added
}

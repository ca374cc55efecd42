import type { Database } from '../../shared/database/database.ts'
import { type AgentScope, isOfAgent } from '../../shared/database/scope.ts'

export type Titled = { id: string; title: string }

/** Of the newest documents. */
export async function findTitles(db: Database, scope: AgentScope, { limit }: { limit: number }): Promise<Titled[]> {
  return await db
    .selectFrom('documents as d')
    .select(['id', 'title'])
    .where(isOfAgent(scope))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

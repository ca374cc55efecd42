import { sql } from 'kysely'
import type { Database } from '../../../shared/database/database.ts'
import type { AgentScope } from '../../../shared/database/scope.ts'

/** The document that a held document resembles. */
export interface Changes {
  otherId: string
  otherTitle: string
  otherEdits: number
}

/** @param ids the ids of held documents */
export async function findChanges(db: Database, scope: AgentScope, ids: string[]): Promise<Map<string, Changes>> {
  const { rows } = await sql<Changes & { id: string }>`
    select h.id, o.id as "otherId", o.title as "otherTitle", o.edits as "otherEdits"
    from documents h join documents o on o.organization_id = h.organization_id and o.id = h.resembles and o.id <> h.id
    where h.organization_id = ${scope.organizationId} and h.agent_id = ${scope.agentId} and h.id = any(${ids}::uuid[])`.execute(
    db,
  )
  return new Map(rows.map(({ id, ...other }) => [id, other]))
}

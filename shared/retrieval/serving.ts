import { sql } from 'kysely'
import { columnsOf } from '../database/columns.ts'
import { type AgentScope, isAgent } from '../database/scope.ts'
import { agentNotFound } from '../http/not-found.ts'

const a = columnsOf('agents', 'a')

/** Selects whether search serves anything of the agent; no row if the agent does not exist. */
export function findServing(scope: AgentScope) {
  return sql<{ is_serving: boolean }>`
    select ${a.knowledge_base_enabled} as is_serving from agents a where ${isAgent(scope)}`
}

export function requireServing(agents: { is_serving: boolean }[]): boolean {
  return agents[0]?.is_serving ?? agentNotFound()
}

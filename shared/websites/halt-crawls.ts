import { sql } from 'kysely'
import type { AgentScope } from '../database/scope.ts'
import { crawling, halt } from './transitions.ts'

/** The statement that voids crawls of the agent's websites, and lets none begin. */
export function haltCrawls({ organizationId, agentId }: AgentScope) {
  return crawling.update(sql`s.organization_id = ${organizationId} and s.agent_id = ${agentId}`, halt)
}

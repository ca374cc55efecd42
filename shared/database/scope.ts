import { sql } from 'kysely'
import type { AgentId, DocumentId, OrganizationId } from '../ids.ts'
import { columnsOf } from './columns.ts'

export type AgentScope = { organizationId: OrganizationId; agentId: AgentId }

export interface DocumentScope extends AgentScope {
  documentId: DocumentId
}

const a = columnsOf('agents', 'a')
const d = columnsOf('documents', 'd')

/** One row if the agent exists: distinguishes a missing agent from a missing document in a batch. */
export function findAgent(scope: AgentScope) {
  return sql<{ id: string }>`select ${a.id} from agents a where ${isAgent(scope)}`
}

export function isAgent({ organizationId, agentId }: AgentScope) {
  return sql<boolean>`(${a.organization_id} = ${organizationId} and ${a.id} = ${agentId})`
}

export function isOfAgent({ organizationId, agentId }: AgentScope) {
  return sql<boolean>`(${d.organization_id} = ${organizationId} and ${d.agent_id} = ${agentId})`
}

export function isDocument({ organizationId, agentId, documentId }: DocumentScope) {
  return sql<boolean>`(${d.organization_id} = ${organizationId} and ${d.agent_id} = ${agentId} and ${d.id} = ${documentId})`
}

import { sql } from 'kysely'
import { ApiError } from '../http/errors.ts'
import type { AgentId, DocumentId, OrganizationId } from '../ids.ts'

/** An agent as a request names it: within the organization of its key. */
export interface AgentScope {
  organizationId: OrganizationId
  agentId: AgentId
}

/** A document as a request names it. */
export interface DocumentScope extends AgentScope {
  documentId: DocumentId
}

/** One row if the agent exists, so that a batch can tell a missing agent from a missing document. */
export function findAgent(scope: AgentScope) {
  return sql<{
    id: string
  }>`select id from agents where organization_id = ${scope.organizationId} and id = ${scope.agentId}`
}

/** The condition that picks the scope's document, aliased d. */
export function isDocument(scope: DocumentScope) {
  return sql<boolean>`(d.organization_id = ${scope.organizationId} and d.agent_id = ${scope.agentId} and d.id = ${scope.documentId})`
}

/** Also what a caller hears of another organization's agent. */
export function agentNotFound(): never {
  throw new ApiError('agent_not_found', 'Your organization has no agent with this id.')
}

/** Also what a caller hears of another organization's or another agent's document. */
export function documentNotFound(): never {
  throw new ApiError('document_not_found', 'The agent has no document with this id.')
}

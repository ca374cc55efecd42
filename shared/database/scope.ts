import { sql } from 'kysely'
import type { AgentId, DocumentId, OrganizationId, WebsiteId } from '../ids.ts'
import { columnsOf } from './columns.ts'

export type AgentScope = { organizationId: OrganizationId; agentId: AgentId }

export interface DocumentScope extends AgentScope {
  documentId: DocumentId
  /** If given, the document must have this external id. */
  externalId?: string
}

export interface WebsiteScope extends AgentScope {
  sourceId: WebsiteId
}

/** A document by its external id. */
export interface NamedScope extends AgentScope {
  externalId: string
}

const a = columnsOf('agents', 'a')
const d = columnsOf('documents', 'd')

/** One row if the agent exists. */
export function findAgent(scope: AgentScope) {
  return sql<{ id: string }>`select ${a.id} from agents a where ${isAgent(scope)}`
}

export function isAgent({ organizationId, agentId }: AgentScope) {
  return sql<boolean>`(${a.organization_id} = ${organizationId} and ${a.id} = ${agentId})`
}

/** Holds for documents in the trash, too. */
export function isStoredOfAgent({ organizationId, agentId }: AgentScope) {
  return sql<boolean>`(${d.organization_id} = ${organizationId} and ${d.agent_id} = ${agentId})`
}

export function isOfAgent(scope: AgentScope) {
  return sql<boolean>`(${isStoredOfAgent(scope)} and ${d.deleted_at} is null)`
}

export function isInTrash(scope: AgentScope) {
  return sql<boolean>`(${isStoredOfAgent(scope)} and ${d.deleted_at} is not null)`
}

/** @param own the condition that a document is the agent's; the default excludes the trash */
export function isDocument(scope: DocumentScope | NamedScope, own = isOfAgent(scope)) {
  const isIt = 'documentId' in scope ? sql`${d.id} = ${scope.documentId}` : sql`true`
  const isNamed = scope.externalId === undefined ? sql`true` : sql`${d.external_id} = ${scope.externalId}`
  return sql<boolean>`(${own} and ${isIt} and ${isNamed})`
}

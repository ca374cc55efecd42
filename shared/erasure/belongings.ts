import { type RawBuilder, sql } from 'kysely'
import type { AgentId, OrganizationId } from '../ids.ts'

export interface Subject {
  organizationId: OrganizationId
  agentId?: AgentId | undefined
}

export interface Belongings {
  table: string
  /** The columns that follow `organization_id` in an index, and their types. */
  key: Readonly<Record<string, 'uuid' | 'int' | 'bytea' | 'text'>>
  /** Selects an agent's rows of the table `t`; without it, the table has none. */
  isOfAgent?: (subject: Subject & { agentId: AgentId }) => RawBuilder<boolean>
}

const byAgentId: Belongings['isOfAgent'] = ({ agentId }) => sql<boolean>`t.agent_id = ${agentId}::uuid`

/** The order of deletion, in which no foreign key has many rows to delete. */
export const belongings: readonly Belongings[] = [
  { table: 'chunks', key: { document_id: 'uuid', revision: 'int', chunk_index: 'int' }, isOfAgent: byAgentId },
  {
    table: 'vectors',
    key: { document_id: 'uuid', id: 'uuid' },
    isOfAgent: ({ organizationId, agentId }) => sql`t.document_id in (
      select d.id from documents d where d.organization_id = ${organizationId}::uuid and d.agent_id = ${agentId}::uuid)`,
  },
  { table: 'document_revisions', key: { document_id: 'uuid', revision: 'int' }, isOfAgent: byAgentId },
  { table: 'document_claims', key: { document_id: 'uuid', key: 'uuid' }, isOfAgent: byAgentId },
  { table: 'documents', key: { id: 'uuid' }, isOfAgent: byAgentId },
  { table: 'packs', key: { agent_id: 'uuid', document_id: 'uuid' }, isOfAgent: byAgentId },
  { table: 'source_pages', key: { source_id: 'uuid', address: 'text' }, isOfAgent: byAgentId },
  { table: 'sources', key: { id: 'uuid' }, isOfAgent: byAgentId },
  { table: 'calls', key: { id: 'uuid' }, isOfAgent: byAgentId },
  { table: 'golden_questions', key: { agent_id: 'uuid', id: 'uuid' }, isOfAgent: byAgentId },
  { table: 'question_log', key: { agent_id: 'uuid', id: 'uuid' }, isOfAgent: byAgentId },
  {
    table: 'webhook_deliveries',
    key: { webhook_id: 'uuid', id: 'uuid' },
    // A daily digest lists several agents.
    isOfAgent: ({ agentId }) => sql`(t.data ->> 'agent_id' = ${agentId} or t.data -> 'agents' @> jsonb_build_array(
      jsonb_build_object('agent_id', ${agentId}::text)))`,
  },
  { table: 'query_vectors', key: { key: 'bytea' } },
  { table: 'idempotency_keys', key: { api_key_id: 'uuid', key: 'text' }, isOfAgent: byAgentId },
]

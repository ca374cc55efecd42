import type { Database, Statement } from '../database/database.ts'
import { type DocumentScope, findAgent, type NamedScope } from '../database/scope.ts'
import { invalidKey } from './api-keys.ts'
import { ApiError } from './errors.ts'

export function agentNotFound(): never {
  throw new ApiError('agent_not_found', 'Your organization has no agent with this id.')
}

export function documentNotFound(): never {
  throw new ApiError('document_not_found', 'The agent has no document with this id.')
}

/** The scope's document, from a batch that has looked for it and its agent. @throws ApiError agent_not_found, document_not_found */
export function requireDocument<Row>({ agents, documents }: { agents: unknown[]; documents: Row[] }): Row {
  if (agents.length === 0) agentNotFound()
  return documents[0] ?? documentNotFound()
}

/** The scope's document, as the statement selects it. @throws ApiError agent_not_found, document_not_found */
export async function findDocument<Row>(
  db: Database,
  scope: DocumentScope | NamedScope,
  documents: Statement<Row>,
): Promise<Row> {
  return requireDocument(await db.batch({ agents: findAgent(scope), documents }))
}

const foreignKeyViolation = '23503'

/** A parent was deleted in between: the next request's answer. @throws ApiError document_not_found, agent_not_found, invalid_api_key */
export function requireParents(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === foreignKeyViolation)) return
  const violated = 'constraint' in error ? String(error.constraint) : ''
  if (violated.endsWith('_document_id_fkey')) documentNotFound()
  if (violated.endsWith('_agent_id_fkey')) agentNotFound()
  throw invalidKey()
}

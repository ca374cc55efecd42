import { sql } from 'kysely'
import type { Database, Statement } from '../database/database.ts'
import { type AgentScope, type DocumentScope, findAgent, isDocument, type NamedScope } from '../database/scope.ts'
import { ApiError, noSuchAgent } from './errors.ts'
import { invalidKey } from './sent-key.ts'

export function agentNotFound(): never {
  throw new ApiError('agent_not_found', noSuchAgent)
}

export function documentNotFound(): never {
  throw new ApiError('document_not_found', 'The agent has no document with this id.')
}

/** Tells a missing agent from a missing row, after a statement that found nothing. @throws ApiError agent_not_found */
export async function requireAgent(db: Database, scope: AgentScope): Promise<void> {
  const { rows } = await findAgent(scope).execute(db)
  if (rows.length === 0) agentNotFound()
}

/** The first row that a statement has found. @throws ApiError agent_not_found, document_not_found */
export async function requireDocument<Row>(db: Database, scope: AgentScope, [document]: Row[]): Promise<Row> {
  if (document) return document
  await requireAgent(db, scope)
  documentNotFound()
}

/** The scope's document, as the statement selects it: by default only its id. @throws ApiError agent_not_found, document_not_found */
export async function findDocument<Row>(
  db: Database,
  scope: DocumentScope | NamedScope,
  documents: Statement<Row> = sql<Row>`select d.id from documents d where ${isDocument(scope)}`,
): Promise<Row> {
  return await requireDocument(db, scope, (await db.batch({ documents })).documents)
}

const foreignKeyViolation = '23503'

/** Throws the next request's error if a parent was deleted in between. @throws ApiError document_not_found, agent_not_found, invalid_api_key */
export function requireParents(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === foreignKeyViolation)) return
  const violated = 'constraint' in error ? String(error.constraint) : ''
  if (violated.endsWith('_document_id_fkey')) documentNotFound()
  if (violated.endsWith('_agent_id_fkey')) agentNotFound()
  throw invalidKey()
}

import { invalidKey } from './api-keys.ts'
import { agentNotFound, documentNotFound } from './not-found.ts'

const foreignKeyViolation = '23503'

/**
 * Of rows that lost their parent while a request stored them: as the next request will be answered. By the fields of an error of
 * Postgres: to ask for its class would load the database's driver into Lambdas that have no database.
 * @throws ApiError document_not_found, agent_not_found, invalid_api_key if that is what the error says
 */
export function requireParents(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === foreignKeyViolation)) return
  const violated = 'constraint' in error ? String(error.constraint) : ''
  if (violated.endsWith('_document_id_fkey')) documentNotFound()
  if (violated.endsWith('_agent_id_fkey')) agentNotFound()
  throw invalidKey()
}

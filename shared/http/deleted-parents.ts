import { invalidKey } from './api-keys.ts'
import { agentNotFound, documentNotFound } from './not-found.ts'

const foreignKeyViolation = '23503'

/**
 * Answers for rows that lost their parent while a request stored them, as the next request will be answered. The error's class is not
 * asked for: that would load the database's driver into Lambdas without a database.
 * @throws ApiError document_not_found, agent_not_found, invalid_api_key for a violated foreign key
 */
export function requireParents(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === foreignKeyViolation)) return
  const violated = 'constraint' in error ? String(error.constraint) : ''
  if (violated.endsWith('_document_id_fkey')) documentNotFound()
  if (violated.endsWith('_agent_id_fkey')) agentNotFound()
  throw invalidKey()
}

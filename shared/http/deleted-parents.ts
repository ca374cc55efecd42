import { invalidKey } from './api-keys.ts'
import { agentNotFound, documentNotFound } from './not-found.ts'

const foreignKeyViolation = '23503'

/** A parent was deleted meanwhile: the next request's answer. @throws ApiError document_not_found, agent_not_found, invalid_api_key */
export function requireParents(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === foreignKeyViolation)) return
  const violated = 'constraint' in error ? String(error.constraint) : ''
  if (violated.endsWith('_document_id_fkey')) documentNotFound()
  if (violated.endsWith('_agent_id_fkey')) agentNotFound()
  throw invalidKey()
}

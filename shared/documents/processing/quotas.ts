import type { NeonDbError } from '@neondatabase/serverless'
import { violates } from '../../database/database.ts'
import { ApiError } from '../../http/errors.ts'
import { rateLimited } from '../../http/rate-limited.ts'

const retrySeconds = 30

/**
 * Rejects what exceeds a limit of the agent or the organization. @throws ApiError rate_limited while too many documents are in processing,
 * validation_failed where there would be too many documents or bytes; else the error itself
 */
export function rejectPastQuota(error: unknown): never {
  const quota = Number((error as NeonDbError).detail)
  const count = quota.toLocaleString('en')
  const fail = (detail: string) => {
    throw new ApiError('validation_failed', detail, { cause: error })
  }
  if (violates(error, 'agents_document_limit')) fail('An agent can have at most 10,000 documents. Delete some first.')
  if (violates(error, 'organizations_stored_bytes'))
    fail(`The organization can store at most ${count} bytes. Delete some documents for good first.`)
  if (!violates(error, 'documents_in_pipeline')) throw error
  throw rateLimited(
    { name: 'documents', quota },
    retrySeconds,
    `The organization has ${count} documents that are pending or processing, the maximum. Wait until some are completed.`,
  )
}

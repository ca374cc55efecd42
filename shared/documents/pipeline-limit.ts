import type { NeonDbError } from '@neondatabase/serverless'
import { violates } from '../database/database.ts'
import { rateLimited } from '../http/rate-limited.ts'

/** In which some documents have left it, as a rule. */
const retrySeconds = 30

/**
 * For what a statement has thrown that makes work of a document.
 * @throws ApiError rate_limited while the organization has too many in work, else the error itself
 */
export function rejectPastPipeline(error: unknown): never {
  if (!violates(error, 'documents_in_pipeline')) throw error
  const quota = Number((error as NeonDbError).detail)
  throw rateLimited(
    { name: 'documents', quota },
    retrySeconds,
    `The organization has ${quota.toLocaleString('en')} documents that are pending or processing, the maximum. Wait until some are completed.`,
  )
}

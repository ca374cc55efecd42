import type { NeonDbError } from '@neondatabase/serverless'
import { violates } from '../../database/database.ts'
import { ApiError } from '../../http/errors.ts'
import { rateLimited } from '../../http/rate-limited.ts'

const retrySeconds = 30

/**
 * Rejects what exceeds one of the organization's limits. @throws ApiError rate_limited while it has too many documents in processing,
 * validation_failed where it would store too many bytes; else the error itself
 */
export function rejectPastQuota(error: unknown): never {
  const quota = () => Number((error as NeonDbError).detail).toLocaleString('en')
  if (violates(error, 'organizations_stored_bytes'))
    throw new ApiError(
      'validation_failed',
      `The organization can store at most ${quota()} bytes. Delete some documents for good first.`,
      { cause: error },
    )
  if (!violates(error, 'documents_in_pipeline')) throw error
  throw rateLimited(
    { name: 'documents', quota: Number((error as NeonDbError).detail) },
    retrySeconds,
    `The organization has ${quota()} documents that are pending or processing, the maximum. Wait until some are completed.`,
  )
}

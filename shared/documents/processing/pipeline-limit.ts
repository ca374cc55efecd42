import type { NeonDbError } from '@neondatabase/serverless'
import { violates } from '../../database/database.ts'
import { rateLimited } from '../../http/rate-limited.ts'

const retrySeconds = 30

/** @throws ApiError rate_limited while the organization has too many documents in processing, else the error itself */
export function rejectPastPipeline(error: unknown): never {
  if (!violates(error, 'documents_in_pipeline')) throw error
  const quota = Number((error as NeonDbError).detail)
  throw rateLimited(
    { name: 'documents', quota },
    retrySeconds,
    `The organization has ${quota.toLocaleString('en')} documents that are pending or processing, the maximum. Wait until some are completed.`,
  )
}

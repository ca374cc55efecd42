import { type Expression, sql } from 'kysely'

export interface Failure {
  code: 'chunk_refused' | 'too_many_chunks' | 'attempts_exhausted' | 'provider_unavailable' | 'not_processed'
  message: string
}

/** Why a document waits for another attempt, where the embedding provider is not the cause. */
export const ownFaults = {
  internalError: 'Processing failed because of an internal error',
  interrupted: 'Processing was interrupted',
  noDatabase: 'The database could not be reached',
} as const

export const attemptsFailed: Failure = {
  code: 'attempts_exhausted',
  message:
    'Processing failed five times because of an internal error. Set the status to pending to try again; if it fails again, split the document.',
}

export const attemptsInterrupted: Failure = {
  code: 'attempts_exhausted',
  message:
    'Processing was interrupted five times. Set the status to pending to try again; if it fails again, split the document.',
}

/** A document that was tried for a day and never processed; `reason` is of the last attempt. */
export const providerUnavailable = {
  code: 'provider_unavailable',
  message: (reason: Expression<string | null>) =>
    sql<string>`'The document could not be embedded for 24 hours. ' || coalesce(${reason}, 'The embedding provider was unavailable')
      || '. Set the status to pending to try again.'`,
} as const

export const notProcessed: Failure = {
  code: 'not_processed',
  message: 'The document was not processed within 24 hours. Set the status to pending to try again.',
}

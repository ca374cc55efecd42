import { type Expression, sql } from 'kysely'

export interface Failure {
  code:
    | 'chunk_refused'
    | 'too_many_chunks'
    | 'attempts_exhausted'
    | 'provider_unavailable'
    | 'not_processed'
    | 'file_not_uploaded'
    | 'file_too_large'
    | 'file_overwritten'
    | 'file_unreadable'
    | 'golden_questions_fail'
  message: string
}

/** The reasons why a document waits for another attempt, other than the embedding provider's. */
export const ownFaults = {
  internalError: 'Processing failed because of an internal error',
  interrupted: 'Processing was interrupted',
  noDatabase: 'The database could not be reached',
  noFile: 'The file storage could not be reached',
  resembles: 'The file resembles another document, and nobody has said yet whether it replaces that one',
  resembledGone: 'The document that the file resembles was deleted, and nobody has said yet whether this one is served',
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

export const fileAttemptsFailed: Failure = {
  code: 'attempts_exhausted',
  message:
    'The text of the file could not be extracted in five attempts. Save it in another format, such as PDF or DOCX, and upload that, or enter the text by hand.',
}

export const fileNotUploaded: Failure = {
  code: 'file_not_uploaded',
  message: 'The file was not uploaded completely. Upload it again and delete this document.',
}

export const fileOverwritten: Failure = {
  code: 'file_overwritten',
  message: 'The file was overwritten after its text had been extracted. Upload it again and delete this document.',
}

export const fileTooLarge: Failure = {
  code: 'file_too_large',
  message: 'The file has more than 50 MB. Split it, or make it smaller, and upload it again.',
}

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

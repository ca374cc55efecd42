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

/** What a caller of the API can do: the end of each message with this code, if it is there. Screens have remedies of their own. */
export const remedies = {
  attempts_exhausted: 'Set the status to pending to try again; if it fails again, split the document.',
  provider_unavailable: 'Set the status to pending to try again.',
  not_processed: 'Set the status to pending to try again.',
  file_not_uploaded: 'Upload it again and delete this document.',
  file_overwritten: 'Upload it again and delete this document.',
  golden_questions_fail: 'Correct the text, or set the status to pending with ignore_golden_questions.',
} as const satisfies Partial<Record<Failure['code'], string>>

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
  message: `Processing failed five times because of an internal error. ${remedies.attempts_exhausted}`,
}

export const attemptsInterrupted: Failure = {
  code: 'attempts_exhausted',
  message: `Processing was interrupted five times. ${remedies.attempts_exhausted}`,
}

export const fileAttemptsFailed: Failure = {
  code: 'attempts_exhausted',
  message:
    'The text of the file could not be extracted in five attempts. Save it in another format, such as PDF or DOCX, and upload that, or enter the text by hand.',
}

export const fileNotUploaded: Failure = {
  code: 'file_not_uploaded',
  message: `The file was not uploaded completely. ${remedies.file_not_uploaded}`,
}

export const fileOverwritten: Failure = {
  code: 'file_overwritten',
  message: `The file was overwritten after its text had been extracted. ${remedies.file_overwritten}`,
}

export const fileTooLarge: Failure = {
  code: 'file_too_large',
  message: 'The file has more than 50 MB. Split it, or make it smaller, and upload it again.',
}

export const providerUnavailable = {
  code: 'provider_unavailable',
  message: (reason: Expression<string | null>) =>
    sql<string>`'The document could not be embedded for 24 hours. ' || coalesce(${reason}, 'The embedding provider was unavailable')
      || ${`. ${remedies.provider_unavailable}`}::text`,
} as const

export const notProcessed: Failure = {
  code: 'not_processed',
  message: `The document was not processed within 24 hours. ${remedies.not_processed}`,
}

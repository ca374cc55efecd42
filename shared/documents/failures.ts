export interface Failure {
  code: 'chunk_refused' | 'too_many_chunks' | 'attempts_exhausted' | 'provider_unavailable' | 'not_processed'
  message: string
}

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

export const providerUnavailable: Failure = {
  code: 'provider_unavailable',
  message: 'The embedding provider was unavailable for 24 hours. Set the status to pending to try again.',
}

export const notProcessed: Failure = {
  code: 'not_processed',
  message: 'The document was not processed within 24 hours. Set the status to pending to try again.',
}

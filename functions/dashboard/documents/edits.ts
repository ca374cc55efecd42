import * as v from 'valibot'
import { ApiError, type ErrorCode } from '../../../shared/http/errors.ts'
import { type Tags, tagOf } from '../../../shared/http/etag.ts'
import { words } from '../words.ts'

/** The document's edits as the page with the form has seen them. */
export const editsField = v.pipe(v.string(), v.regex(/^\d{1,9}$/), v.transform(Number))

/** Only if nobody has edited the document since: what `If-Match` says for callers of the API. */
export function unedited(edits: number | undefined): Tags {
  return edits === undefined ? '*' : [tagOf({ edits, version: 0 })]
}

export function isError(error: unknown, code: ErrorCode): error is ApiError {
  return error instanceof ApiError && error.code === code
}

/** What to tell of a document that is one too many: of the agent, or of those in work. @throws the error when it is another one */
export function tooMany(error: unknown): { message: string; status: 422 | 429 } {
  if (isError(error, 'validation_failed')) return { message: words.documents.full, status: 422 }
  if (isError(error, 'rate_limited')) return { message: words.documents.busy, status: 429 }
  throw error
}

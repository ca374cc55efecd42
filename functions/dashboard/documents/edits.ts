import * as v from 'valibot'
import { ApiError, type ErrorCode } from '../../../shared/http/errors.ts'
import { type Tags, tagOf } from '../../../shared/http/etag.ts'

/** The document's edits as the page with the form has seen them. */
export const editsField = v.pipe(v.string(), v.regex(/^\d{1,9}$/), v.transform(Number))

/** Only if nobody has edited the document since: what `If-Match` says for callers of the API. */
export function unedited(edits: number | undefined): Tags {
  return edits === undefined ? '*' : [tagOf({ edits, version: 0 })]
}

export function isError(error: unknown, code: ErrorCode): error is ApiError {
  return error instanceof ApiError && error.code === code
}

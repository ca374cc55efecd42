import * as v from 'valibot'
import { type Tags, tagOf } from '../../../shared/http/etag.ts'
import { isError } from '../error-view.ts'

/** The document's number of edits when the form was loaded. */
export const editsField = v.pipe(v.string(), v.regex(/^\d{1,9}$/), v.transform(Number))

/** Matches if nobody has edited the document since, like `If-Match` in the API. */
export function unedited(edits: number | undefined): Tags {
  return edits === undefined ? '*' : [tagOf({ edits, version: 0 })]
}

export const busy = 'Too many documents are being processed. Wait until some of them are ready, then try again.'

export const noRoom =
  'An agent can have at most 10,000 documents, and an organization a limited amount of text. Delete some first, also from the trash.'

export const ofEditedPage =
  'If you edit its text, it becomes a document of its own, which no longer changes with the page. The website still lists it, and you can follow the page again there.'

/** Message for a document past a limit of the agent or the organization. @throws any other error */
export function tooMany(error: unknown): { message: string; status: 422 | 429 } {
  if (isError(error, 'validation_failed')) return { message: noRoom, status: 422 }
  if (isError(error, 'rate_limited')) return { message: busy, status: 429 }
  throw error
}

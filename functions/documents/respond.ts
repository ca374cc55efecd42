import type { Context } from 'hono'
import type * as v from 'valibot'
import type { Removal } from '../../shared/documents/client/documents.ts'
import {
  type Document,
  type DocumentRow,
  documentExample,
  documentSchema,
  toDocument,
} from '../../shared/documents/contract/document.ts'
import type { deletionQuery } from '../../shared/documents/contract/input.ts'
import type { ApiEnv } from '../../shared/http/api.ts'
import type { ErrorCode } from '../../shared/http/errors.ts'
import { etag, type ifMatch } from '../../shared/http/etag.ts'
import { fetchedDocument, type GetQuery, toFetched } from './schemas.ts'

export const aDocument = {
  description: 'The document',
  schema: documentSchema,
  example: documentExample,
  headers: ['ETag'],
}
/** A document that is yet to be processed. */
export const newExample: Document = { ...documentExample, status: 'pending', chunk_count: 0, searchable_chunk_count: 0 }

/** Reads the options of a DELETE. */
export function removalOf(
  { ignore_golden_questions: ignores, trash: toTrash }: v.InferOutput<typeof deletionQuery>,
  { 'if-match': match }: v.InferOutput<typeof ifMatch>,
): Removal {
  return { match, ignores, toTrash }
}

export const creationErrors: ErrorCode[] = ['document_not_found', 'external_id_conflict']

export const fetched = (example: Document) => ({
  200: { ...aDocument, schema: fetchedDocument, example },
  304: { description: 'It is still the version in If-None-Match', headers: ['ETag'] },
})

/** Sets the headers of the response that creates one document. `replayed`: an earlier attempt has created it. */
export function setCreated(c: Context<ApiEnv>, document: DocumentRow, replayed: boolean): void {
  if (replayed) c.header('idempotency-replayed', 'true')
  c.header('etag', etag(document))
  c.header('location', `/v1/agents/${document.agent_id}/knowledge-base/${document.id}`)
}

export function respondDocument(c: Context<ApiEnv>, document: DocumentRow): Response {
  c.header('etag', etag(document))
  return c.json(toDocument(document))
}

/** Responds to a GET: with 304 if the caller has this version. */
export function respondFetched(
  c: Context<ApiEnv>,
  document: DocumentRow & { is_known: boolean; text: string | null },
  query: GetQuery,
): Response {
  c.header('etag', etag(document))
  c.header('cache-control', 'private, no-cache')
  if (document.is_known) return c.body(null, 304)
  return c.json(toFetched(document, query))
}

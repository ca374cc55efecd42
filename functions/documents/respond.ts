import type { Context } from 'hono'
import type { DocumentRow } from '../../shared/documents/document.ts'
import type { ApiEnv } from '../../shared/http/api.ts'
import { etag } from '../../shared/http/etag.ts'
import { type GetQuery, toFetched } from './schemas.ts'

/** The response of GET: 304 where the caller has this version. */
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

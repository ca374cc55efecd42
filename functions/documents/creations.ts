import type { Context } from 'hono'
import type { DocumentRow } from '../../shared/documents/document.ts'
import type { ApiEnv } from '../../shared/http/api.ts'
import type { ErrorCode } from '../../shared/http/errors.ts'
import { etag } from '../../shared/http/etag.ts'

export const creationErrors: ErrorCode[] = ['document_not_found', 'external_id_conflict']

/** The headers of the response that creates one document. `replayed`: an earlier attempt has created it. */
export function setCreated(c: Context<ApiEnv>, document: DocumentRow, replayed: boolean): void {
  if (replayed) c.header('idempotency-replayed', 'true')
  c.header('etag', etag(document))
  c.header('location', `/v1/agents/${document.agent_id}/knowledge-base/${document.id}`)
}

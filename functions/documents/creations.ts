import type { Context } from 'hono'
import type { DocumentRow } from '../../shared/documents/document.ts'
import type { ApiEnv } from '../../shared/http/api.ts'
import type { ApiKey } from '../../shared/http/api-keys.ts'
import type { ErrorCode } from '../../shared/http/errors.ts'
import { etag } from '../../shared/http/etag.ts'
import { idempotentRequest } from '../../shared/http/idempotency.ts'

export const creationErrors: ErrorCode[] = [
  'agent_not_found',
  'document_not_found',
  'external_id_conflict',
  'idempotency_key_reused',
  'idempotency_in_progress',
]

/** The headers of the response that creates one document. `replayed`: an earlier attempt has created it. */
export function setCreated(c: Context<ApiEnv>, document: DocumentRow, replayed: boolean): void {
  if (replayed) c.header('idempotency-replayed', 'true')
  c.header('etag', etag(document))
  c.header('location', `/v1/agents/${document.agent_id}/knowledge-base/${document.id}`)
}

/** Tells of a request that creates documents who sent it, and what a repeat under its `Idempotency-Key` must equal. */
export function creations(repeatWaitSeconds?: number) {
  return (c: Context<ApiEnv>, key: ApiKey, idempotencyKey: string | undefined, body: unknown) => ({
    origin: { requestId: c.get('requestId'), apiKeyId: key.id },
    request: idempotentRequest(
      key,
      { method: 'POST', path: c.req.path, body: () => body },
      idempotencyKey,
      repeatWaitSeconds,
    ),
  })
}

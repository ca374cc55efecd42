import type { Context } from 'hono'
import type { ApiEnv } from '../../shared/http/api.ts'
import type { ApiKey } from '../../shared/http/api-keys.ts'
import { idempotentRequest } from '../../shared/http/idempotency.ts'

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

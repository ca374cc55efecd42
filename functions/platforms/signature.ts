import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { ApiError } from '../../shared/http/errors.ts'
import type { SentBody } from '../../shared/http/input/json-body.ts'

/** The limit of a signature's time from ours. An intercepted request can be sent again for this long. */
const validMilliseconds = 5 * 60_000

const pattern = /^v=(\d{1,15}),d=([0-9a-f]{64})$/i

/** Checks Retell's `v=<milliseconds>,d=<HMAC-SHA256 of body and time>`. @throws ApiError invalid_signature */
export function requireSignature(body: SentBody, signature: string | undefined, secret: KeyObject, now: number): void {
  if (!signature) throw invalid('X-Retell-Signature is missing.')
  const [, time, digest] = pattern.exec(signature) ?? []
  if (time === undefined || digest === undefined) throw invalid('X-Retell-Signature is not v=<time>,d=<digest>.')
  const expected = createHmac('sha256', secret).update(body).update(time).digest()
  if (!timingSafeEqual(Buffer.from(digest, 'hex'), expected))
    throw invalid('X-Retell-Signature does not match this body and the secret of this agent.')
  if (Math.abs(now - Number(time)) > validMilliseconds)
    throw invalid(
      'The time in X-Retell-Signature is more than five minutes from ours: check the clock of the machine that signs.',
    )
}

function invalid(detail: string) {
  return new ApiError('invalid_signature', detail, {
    headers: { 'www-authenticate': 'HMAC-SHA256 header="X-Retell-Signature"' },
  })
}

import { createHash, randomUUID } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import * as v from 'valibot'
import { ApiError } from './errors.ts'
import type { ApiKey } from './keys.ts'

export const idempotencyHeader = v.object({
  'idempotency-key': v.optional(
    v.pipe(
      v.string(),
      v.regex(/^[\x20-\x7e]{1,255}$/, 'must be 1 to 255 printable ASCII characters'),
      v.description('Makes the request safe to repeat for 24 hours: a repeat gives the first answer again.'),
    ),
  ),
})

/** One attempt at a request that may have been made before. */
export interface Attempt {
  key: ApiKey
  idempotencyKey: string
  /** SHA-256 of method, path and body: tells another request under the same key. */
  requestHash: Buffer
  /** Marks the row as this attempt's own. */
  owner: string
}

/** The attempt that a request's `Idempotency-Key` makes it; undefined without that header. */
export function attempt(
  key: ApiKey,
  request: { method: string; path: string; body: unknown },
  idempotencyKey: string | undefined,
): Attempt | undefined {
  if (idempotencyKey === undefined) return undefined
  const requestHash = createHash('sha256')
    .update(`${request.method} ${request.path}\n${JSON.stringify(request.body)}`)
    .digest()
  return { key, idempotencyKey, requestHash, owner: randomUUID() }
}

interface Recalled {
  owner: string
  request_hash: Buffer
  response: unknown
}

/**
 * The statements that make a batch idempotent: `claim` goes first, the batch's own act only where `mine` holds, then
 * `remember` keeps its answer, `forget` drops the claim when there was none, and `recall` reads what the key now stands for.
 * All in the act's own transaction: a second attempt waits on the claim's unique key until the first has ended.
 */
export function idempotent(attempt: Attempt, answer: RawBuilder<unknown>) {
  const row = sql`organization_id = ${attempt.key.organizationId} and api_key_id = ${attempt.key.id} and key = ${attempt.idempotencyKey}`
  return {
    claim: sql`
      insert into idempotency_keys as kept (organization_id, api_key_id, key, request_hash, owner)
      values (${attempt.key.organizationId}, ${attempt.key.id}, ${attempt.idempotencyKey}, ${attempt.requestHash}, ${attempt.owner})
      on conflict (organization_id, api_key_id, key) do update
        set request_hash = excluded.request_hash, owner = excluded.owner, response = null, created_at = now()
        where kept.created_at < now() - interval '24 hours'`,
    remember: sql`update idempotency_keys set response = ${answer} where ${row} and owner = ${attempt.owner}`,
    forget: sql`delete from idempotency_keys where ${row} and owner = ${attempt.owner} and response is null`,
    recall: sql<Recalled>`select owner, request_hash, response from idempotency_keys where ${row}`,
  }
}

/** The condition under which an attempt may act: it has no key, or its key was claimed by it just now. */
export function mine(attempt: Attempt | undefined): RawBuilder<boolean> {
  if (!attempt) return sql`true`
  return sql`exists (
    select from idempotency_keys
    where organization_id = ${attempt.key.organizationId} and api_key_id = ${attempt.key.id}
      and key = ${attempt.idempotencyKey} and owner = ${attempt.owner})`
}

/** The first answer, when an earlier attempt gave it. Throws `idempotency_key_reused` when that was another request. */
export function replayed<T>(attempt: Attempt, recalled: Recalled | undefined): T | undefined {
  if (!recalled || recalled.owner === attempt.owner) return undefined
  if (!attempt.requestHash.equals(recalled.request_hash))
    throw new ApiError('idempotency_key_reused', 'This Idempotency-Key came with another request in the last 24 hours.')
  return recalled.response as T
}

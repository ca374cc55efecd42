import { createHash, randomUUID } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import * as v from 'valibot'
import { type Database, type Results, type Statement, waitedTooLong } from '../database/database.ts'
import type { ApiKey } from './api-keys.ts'
import { ApiError } from './errors.ts'

export const idempotencyHeader = v.object({
  'idempotency-key': v.optional(
    v.pipe(
      v.string(),
      v.regex(/^[\x20-\x7e]{1,255}$/, 'must be 1 to 255 printable ASCII characters'),
      v.description(
        'Makes the request safe to repeat for 24 hours: a repeat gives the first answer again, as long as the document exists.',
      ),
    ),
  ),
})

/** A request that carries an `Idempotency-Key`, and so may have been made before. */
export interface IdempotentRequest {
  key: ApiKey
  idempotencyKey: string
  /** SHA-256 of method, path and body: tells another request under the same key. */
  requestHash: Buffer
  /** Marks the row as this attempt's own. */
  owner: string
  /** How long it waits for an earlier attempt to end. */
  waitSeconds: number
}

/** The request with its `Idempotency-Key`; undefined without that header. */
export function idempotentRequest(
  key: ApiKey,
  { method, path, body }: { method: string; path: string; body: unknown },
  idempotencyKey: string | undefined,
  waitSeconds = 5,
): IdempotentRequest | undefined {
  if (idempotencyKey === undefined) return undefined
  const requestHash = createHash('sha256')
    .update(`${method} ${path}\n${JSON.stringify(body)}`)
    .digest()
  return { key, idempotencyKey, requestHash, owner: randomUUID(), waitSeconds }
}

interface Recalled {
  owner: string
  request_hash: Buffer
  response: unknown
}

/**
 * Runs the statements of an act in one transaction, once for all attempts under a key: they act only where `ownsIdempotencyKey` holds. Then
 * `answer` is kept, of which only what a repeat of the request does not bring along itself: no text of the caller's. With
 * nothing to keep, the key is free again. A later attempt waits on the claim's unique key until the first has ended.
 * @returns the statements' results and, when an earlier attempt has acted, its `answer`
 * @throws ApiError idempotency_in_progress, idempotency_key_reused
 */
export async function idempotently<Kept, const Q extends readonly Statement[]>(
  db: Database,
  request: IdempotentRequest,
  answer: RawBuilder<Kept>,
  ...act: Q
): Promise<{ results: Results<Q>; kept: Kept | undefined }> {
  const { key, idempotencyKey, requestHash, owner, waitSeconds } = request
  // The bound is the claim's alone: a wait for anything else does not mean that another attempt is running.
  const bound = sql`select set_config('lock_timeout', ${String(waitSeconds * 1000)}, true)`
  const unbound = sql`set local lock_timeout to default`
  const claim = sql`
    insert into idempotency_keys as kept (organization_id, api_key_id, key, request_hash, owner)
    values (${key.organizationId}, ${key.id}, ${idempotencyKey}, ${requestHash}, ${owner})
    on conflict (organization_id, api_key_id, key) do update
      set request_hash = excluded.request_hash, owner = excluded.owner, response = null, created_at = now()
      where kept.created_at < now() - interval '24 hours'`
  const remember = sql`update idempotency_keys set response = ${answer} where ${isRowOf(request)} and owner = ${owner}`
  const forget = sql`delete from idempotency_keys where ${isRowOf(request)} and owner = ${owner} and response is null`
  const recall = sql<Recalled>`select owner, request_hash, response from idempotency_keys where ${isRowOf(request)}`
  const results: unknown[][] = await db
    .batch(...[bound, claim, unbound], ...act, ...[remember, forget, recall])
    .catch((error) => {
      throw waitedTooLong(error) ? inProgress(error) : error
    })
  const [recalled] = results.at(-1) as Recalled[]
  return { results: results.slice(3, -3) as Results<Q>, kept: answerKept(request, recalled) as Kept | undefined }
}

/** Picks the key's row in idempotency_keys. */
export function isRowOf({ key, idempotencyKey }: IdempotentRequest): RawBuilder<boolean> {
  return sql`(organization_id = ${key.organizationId} and api_key_id = ${key.id} and key = ${idempotencyKey})`
}

/** The condition under which an attempt may act: it has no key, or its key was claimed by it just now. */
export function ownsIdempotencyKey(request: IdempotentRequest | undefined): RawBuilder<boolean> {
  if (!request) return sql`true`
  return sql`exists (select from idempotency_keys where ${isRowOf(request)} and owner = ${request.owner})`
}

/** What an earlier attempt has kept. Throws `idempotency_key_reused` when that was another request. */
function answerKept(request: IdempotentRequest, recalled: Recalled | undefined): unknown {
  if (!recalled || recalled.owner === request.owner) return undefined
  if (!request.requestHash.equals(recalled.request_hash))
    throw new ApiError('idempotency_key_reused', 'This Idempotency-Key came with another request in the last 24 hours.')
  return recalled.response
}

function inProgress(cause: unknown): ApiError {
  return new ApiError(
    'idempotency_in_progress',
    'The first request with this Idempotency-Key has not ended yet. Repeat it in a moment to get its answer.',
    { headers: { 'retry-after': '1' }, cause },
  )
}

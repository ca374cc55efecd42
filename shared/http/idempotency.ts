import { createHash, randomUUID } from 'node:crypto'
import { type Expression, type RawBuilder, type Selectable, sql } from 'kysely'
import * as v from 'valibot'
import { columnsOf } from '../database/columns.ts'
import { type Batch, type Database, type Results, type Statement, waitedTooLong } from '../database/database.ts'
import type { Tables } from '../database/tables.ts'
import type { ApiKey } from './api.ts'
import { ApiError } from './errors.ts'

export const idempotencyHeader = v.object({
  'idempotency-key': v.optional(
    v.pipe(
      v.string(),
      v.regex(/^[\x20-\x7e]{1,255}$/, 'must have 1 to 255 characters, all printable ASCII'),
      v.description(
        'Makes the request safe to retry for 24 hours: a retry returns the first response again, as long as the document exists.',
      ),
    ),
  ),
})

export function idempotentRequest(
  key: ApiKey,
  { method, path }: { method: string; path: string },
  idempotencyKey: string | undefined,
  body: () => unknown,
  waitSeconds = 5,
) {
  if (idempotencyKey === undefined) return undefined
  const requestHash = createHash('sha256')
    .update(`${method} ${path}\n${JSON.stringify(body())}`)
    .digest()
  return { key, idempotencyKey, requestHash, owner: randomUUID() as string, waitSeconds }
}
export type IdempotentRequest = NonNullable<ReturnType<typeof idempotentRequest>>

const keys = columnsOf('idempotency_keys', 'idempotency_keys')

interface Outcome<Response, Q extends Batch> {
  results: Results<Q>
  response: Response | null
  replayed: boolean
}

/**
 * Runs the statements in one transaction; under an `Idempotency-Key` once for all attempts, so each must change rows only where
 * `ownsIdempotencyKey` holds. A later attempt waits on the unique index until the first has ended.
 * @param response selects one value `response`, recorded for retries; no row frees the key
 * @throws ApiError idempotency_in_progress, idempotency_key_reused
 */
export async function idempotently<Response, const Q extends Batch>(
  db: Database,
  request: IdempotentRequest | undefined,
  response: Statement<{ response: Response }> & Expression<unknown>,
  act: Q,
): Promise<Outcome<Response, Q>> {
  if (!request) {
    const { selected, ...results } = await db.batch({ ...(act as Batch), selected: response })
    return { results: results as Results<Q>, response: selected[0]?.response ?? null, replayed: false }
  }
  const { attempts, ...results } = await db
    .batch({ ...claimKey(request), ...(act as Batch), ...recordResponse(request, response) })
    .catch((cause) => {
      if (!waitedTooLong(cause)) throw cause
      throw new ApiError(
        'idempotency_in_progress',
        'The first request with this Idempotency-Key is still running. Retry in a moment to get its response.',
        { headers: { 'retry-after': '1' }, cause },
      )
    })
  const [recorded] = attempts
  const replayed = recorded !== undefined && recorded.owner !== request.owner
  if (replayed && !request.requestHash.equals(recorded.request_hash))
    throw new ApiError(
      'idempotency_key_reused',
      'This Idempotency-Key was used for a different request in the last 24 hours. Use a new key.',
    )
  return { results: results as Results<Q>, response: (recorded?.response as Response | undefined) ?? null, replayed }
}

function claimKey({ key, idempotencyKey, requestHash, owner, waitSeconds }: IdempotentRequest) {
  return {
    // A time-out while waiting for the claim, and only there, means that another attempt is running.
    lockTimeout: sql`select set_config('lock_timeout', ${String(waitSeconds * 1000)}, true)`,
    claim: sql`insert into idempotency_keys as k (organization_id, api_key_id, key, request_hash, owner)
      values (${key.organizationId}, ${key.id}, ${idempotencyKey}, ${requestHash}, ${owner})
      on conflict (organization_id, api_key_id, key) do update
        set request_hash = excluded.request_hash, owner = excluded.owner, response = null, created_at = now()
        where k.created_at < now() - interval '24 hours'`,
    noLockTimeout: sql`set local lock_timeout to default`,
  }
}

function recordResponse(request: IdempotentRequest, response: Expression<unknown>) {
  const isOwn = sql`${isRowOf(request)} and ${keys.owner} = ${request.owner}`
  return {
    record: sql`update idempotency_keys set response = (${response}) where ${isOwn}`,
    release: sql`delete from idempotency_keys where ${isOwn} and response is null`,
    attempts: sql<Pick<Selectable<Tables['idempotency_keys']>, 'owner' | 'request_hash' | 'response'>>`
      select owner, request_hash, response from idempotency_keys where ${isRowOf(request)}`,
  }
}

export function isRowOf({ key, idempotencyKey }: IdempotentRequest): RawBuilder<boolean> {
  return sql`(${keys.organization_id} = ${key.organizationId} and ${keys.api_key_id} = ${key.id} and ${keys.key} = ${idempotencyKey})`
}

/** True without a key, or if this attempt has just claimed it. */
export function ownsIdempotencyKey(request: IdempotentRequest | undefined): RawBuilder<boolean> {
  if (!request) return sql`true`
  return sql`exists (select from idempotency_keys where ${isRowOf(request)} and ${keys.owner} = ${request.owner})`
}

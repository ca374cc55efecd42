import { createHash, createSecretKey, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Context } from 'hono'
import { type Selectable, sql } from 'kysely'
import { BoundedMap } from '../bounded-map.ts'
import type { Database } from '../database/database.ts'
import type { Tables } from '../database/tables.ts'
import type { OrganizationId } from '../ids.ts'
import { steadyNow } from '../time/steady-clock.ts'
import { type ApiEnv, type ApiKey, websiteAddress } from './api.ts'
import { invalidKey, requireKey } from './sent-key.ts'
import { unknownCredentials } from './unknown-credentials.ts'

export interface VerifiedKey extends ApiKey {
  logsQuestions: boolean
}

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const keyPattern = /^(cue_[0-9A-Za-z]{32})([0-9A-Za-z]{6})$/

/** A new key: `cue_`, 32 random base62 characters (190 bits) and the base62 CRC-32 of all that precedes. */
export function newKey(): string {
  const body = `cue_${Array.from({ length: 32 }, () => base62[randomInt(62)]).join('')}`
  return body + checksum(body)
}

export function hashKey(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}

export function isWellFormed(key: string): boolean {
  const [, body, sum] = keyPattern.exec(key) ?? []
  return body !== undefined && checksum(body) === sum
}

function checksum(body: string): string {
  let rest = crc32(body)
  let digits = ''
  for (let i = 0; i < 6; i++) {
    digits = base62[rest % 62] + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}

/** Most requests need no look-up, and a revoked key is rejected within 30 s. */
const cacheMilliseconds = 15_000
const maxCached = 10_000

/** The key that a credential stands for, and when it expires. */
type Found<Key> = { key: Key; expiresAt: Date | null }

/** Looks credentials up by their hash, with a cache. The look-up throws ApiError `rate_limited` if an address sends too many unknown ones. */
export function credentialLookup<Key>(
  find: (hash: Buffer) => Promise<Found<Key> | undefined>,
  now: () => number = steadyNow,
) {
  const cache = new BoundedMap<string, { key: Key; until: number }>(maxCached)
  const unknown = unknownCredentials(now)

  return async function lookUp(hash: Buffer, address: string, { mayBeCached = true } = {}): Promise<Key | undefined> {
    const cacheKey = hash.toString('base64')
    const cached = cache.get(cacheKey)
    if (mayBeCached && cached && cached.until > now()) return cached.key
    if (!cached) {
      if (unknown.has(cacheKey)) return undefined
      unknown.requireLookup(address)
    }
    const found = await find(hash)
    if (!found) {
      cache.delete(cacheKey)
      unknown.add(cacheKey, address)
      return undefined
    }
    const expiry = found.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY
    cache.set(cacheKey, { key: found.key, until: Math.min(now() + cacheMilliseconds, expiry) })
    return found.key
  }
}

/** Verifies the sender of a request. */
export type Callers = (
  db: Database,
  now?: () => number,
) => (c: Context<ApiEnv>, options?: { mayBeCached: boolean }) => Promise<VerifiedKey>

/** Verifies API keys. @throws ApiError missing_api_key, invalid_api_key, rate_limited */
export const keyCallers: Callers = (db, now) => {
  const lookUp = credentialLookup((hash) => findKey(db, hash), now)
  return async (c, options) => {
    const presented = requireKey((name) => c.req.header(name))
    const key = isWellFormed(presented) ? await lookUp(hashKey(presented), websiteAddress(c), options) : undefined
    if (!key) throw invalidKey()
    return key
  }
}

type FoundKey = Pick<Selectable<Tables['api_keys']>, 'id' | 'organization_id' | 'permissions' | 'expires_at'> &
  Pick<Selectable<Tables['organizations']>, 'cursor_key' | 'log_questions'>

async function findKey(db: Database, hash: Buffer): Promise<Found<VerifiedKey> | undefined> {
  const { rows } = await sql<FoundKey>`select * from find_key(${hash})`.execute(db)
  const [row] = rows
  return (
    row && {
      key: {
        id: row.id,
        organizationId: row.organization_id as OrganizationId,
        permissions: row.permissions,
        cursorKey: createSecretKey(row.cursor_key),
        logsQuestions: row.log_questions,
      },
      expiresAt: row.expires_at,
    }
  )
}

import { createHash, createSecretKey, type KeyObject, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { sql } from 'kysely'
import type { Database } from '../database/database.ts'
import type { OrganizationId } from '../ids.ts'
import { ApiError } from './errors.ts'

export const permissions = ['kb:read', 'kb:write', 'organization:read', 'organization:write'] as const
export type Permission = (typeof permissions)[number]

/** What a verified key stands for. */
export interface ApiKey {
  id: string
  organizationId: OrganizationId
  permissions: Permission[]
  /** Signs the cursors of the organization's lists. An object that neither JSON nor a log prints. */
  cursorKey: KeyObject
}

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const shape = /^(cue_[0-9A-Za-z]{32})([0-9A-Za-z]{6})$/

/** A new key: `cue_`, 32 random base62 characters (190 bits) and the base62 CRC-32 of all that precedes. */
export function newKey(): string {
  const body = `cue_${Array.from({ length: 32 }, () => base62[randomInt(62)]).join('')}`
  return body + checksum(body)
}

/** SHA-256 of the key, the only form in which it is stored. */
export function hashKey(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}

/** Whether the key is well formed and its checksum right: a typo is told without a look at the database. */
export function isWellFormed(key: string): boolean {
  const [, body, sum] = shape.exec(key) ?? []
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

/** Milliseconds for which an instance trusts a verification: with it a revoked key is refused everywhere within 30 s. */
const trustedFor = 15_000
const cacheLimit = 10_000

/**
 * Makes the verifier of presented keys. It remembers good keys for 15 s, so most requests cost no look-up.
 * The verifier throws `missing_api_key` or, for unknown, malformed, revoked and expired keys alike, `invalid_api_key`.
 */
export function keyVerifier(db: Database, now: () => number = Date.now) {
  const known = new Map<string, { key: ApiKey; until: number }>()

  return async function verify(presented: string | undefined): Promise<ApiKey> {
    if (!presented) throw refusal('missing_api_key', 'Send your API key in the X-API-Key header.')
    if (!isWellFormed(presented)) throw invalid()
    const hash = hashKey(presented)
    const cached = known.get(hash.toString('base64'))
    if (cached && cached.until > now()) return cached.key
    const key = await findKey(db, hash)
    if (!key) {
      known.delete(hash.toString('base64'))
      throw invalid()
    }
    if (known.size >= cacheLimit) known.clear()
    known.set(hash.toString('base64'), {
      key,
      until: Math.min(now() + trustedFor, key.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY),
    })
    return key
  }
}

async function findKey(db: Database, hash: Buffer): Promise<(ApiKey & { expiresAt: Date | null }) | undefined> {
  const { rows } = await sql<{
    id: string
    organization_id: OrganizationId
    permissions: Permission[]
    expires_at: Date | null
    cursor_key: Buffer
  }>`select id, organization_id, permissions, expires_at, cursor_key from find_api_key(${hash})`.execute(db)
  const row = rows[0]
  return (
    row && {
      id: row.id,
      organizationId: row.organization_id,
      permissions: row.permissions,
      expiresAt: row.expires_at,
      cursorKey: createSecretKey(row.cursor_key),
    }
  )
}

function invalid() {
  return refusal('invalid_api_key', 'The key is unknown, malformed, revoked or expired.')
}

function refusal(code: 'missing_api_key' | 'invalid_api_key', detail: string) {
  return new ApiError(code, detail, { headers: { 'www-authenticate': 'ApiKey header="X-API-Key"' } })
}

import { createSecretKey, type KeyObject } from 'node:crypto'
import { sql } from 'kysely'
import { BoundedMap } from '../../shared/bounded-map.ts'
import type { Database } from '../../shared/database/database.ts'
import type { AgentScope } from '../../shared/database/scope.ts'
import { steadyNow } from '../../shared/time/steady-clock.ts'

/** A secret that is set, changed or removed takes effect everywhere within this time. */
const cacheMilliseconds = 15_000
const maxCached = 10_000

/** Finds the secret that signs Retell's requests for an agent; undefined if none is set. Neither JSON nor a log prints a KeyObject's bytes. */
export function signingSecrets(now: () => number = steadyNow) {
  const cache = new BoundedMap<string, { secret: KeyObject | undefined; until: number }>(maxCached)

  return async function find(db: Database, { organizationId, agentId }: AgentScope): Promise<KeyObject | undefined> {
    const cacheKey = `${organizationId} ${agentId}`
    const cached = cache.get(cacheKey)
    if (cached && cached.until > now()) return cached.secret
    const { rows } = await sql<{ secret: Buffer }>`select secret from signing_secrets
      where organization_id = ${organizationId} and agent_id = ${agentId} and platform = 'retell'`.execute(db)
    const secret = rows[0] && createSecretKey(rows[0].secret)
    cache.set(cacheKey, { secret, until: now() + cacheMilliseconds })
    return secret
  }
}

import { createSecretKey, type KeyObject } from 'node:crypto'
import { BoundedMap } from '../../shared/bounded-map.ts'
import type { Database } from '../../shared/database/database.ts'
import type { AgentScope } from '../../shared/database/scope.ts'
import { steadyNow } from '../../shared/steady-clock.ts'

/** After this time a secret that is set, changed or removed takes effect everywhere. */
const cacheMilliseconds = 15_000
const maxCached = 10_000

/** What signs Retell's requests for an agent; undefined where no secret is set. Neither JSON nor a log prints a KeyObject's bytes. */
export function signingSecrets(now: () => number = steadyNow) {
  const cache = new BoundedMap<string, { secret: KeyObject | undefined; until: number }>(maxCached)

  return async function find(db: Database, { organizationId, agentId }: AgentScope): Promise<KeyObject | undefined> {
    const cacheKey = `${organizationId} ${agentId}`
    const cached = cache.get(cacheKey)
    if (cached && cached.until > now()) return cached.secret
    const row = await db
      .selectFrom('signing_secrets')
      .select('secret')
      .where('organization_id', '=', organizationId)
      .where('agent_id', '=', agentId)
      .where('platform', '=', 'retell')
      .executeTakeFirst()
    const secret = row && createSecretKey(row.secret)
    cache.set(cacheKey, { secret, until: now() + cacheMilliseconds })
    return secret
  }
}

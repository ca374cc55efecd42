import { sql } from 'kysely'
import type { Database } from '../../shared/database/database.ts'

const keysPerBatch = 5000
/** After this no further batch begins: the rest is the next sweep's. */
const maxMilliseconds = 15_000

/**
 * Batch by batch, until no old key is left or time is up: the API's throttle admits 30,000 keys a minute. Each batch in a
 * transaction of its own: a request holds its key's row while it waits for a document's.
 */
export async function purgeKeys(db: Database): Promise<number> {
  const started = performance.now()
  let purged = 0
  for (;;) {
    const { numDeletedRows } = await purgeBatch(db)
    purged += Number(numDeletedRows)
    if (numDeletedRows < keysPerBatch || performance.now() - started > maxMilliseconds) return purged
  }
}

const dayAgo = sql<Date>`now() - interval '24 hours'`

async function purgeBatch(db: Database) {
  return await db
    .with('old', (db) =>
      db
        .selectFrom('idempotency_keys')
        .select(['organization_id', 'api_key_id', 'key'])
        .where('created_at', '<', dayAgo)
        .orderBy('created_at')
        .limit(keysPerBatch),
    )
    .deleteFrom('idempotency_keys as k')
    .using('old')
    .whereRef('k.organization_id', '=', 'old.organization_id')
    .whereRef('k.api_key_id', '=', 'old.api_key_id')
    .whereRef('k.key', '=', 'old.key')
    // Again: it may have been claimed anew since.
    .where('k.created_at', '<', dayAgo)
    .executeTakeFirstOrThrow()
}

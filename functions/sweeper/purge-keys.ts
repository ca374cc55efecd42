import { sql } from 'kysely'
import type { Database } from '../../shared/database/database.ts'
import { inBatches } from './purging.ts'

const keysPerBatch = 5000

/** In batches: a request holds its key's row while it waits for a document's. Up to 30,000 keys arrive a minute. */
export async function purgeKeys(db: Database): Promise<number> {
  return await inBatches({ rowsPerBatch: keysPerBatch, maxMilliseconds: 15_000 }, () => purgeBatch(db))
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
    // Checked again: the key may have been reclaimed since.
    .where('k.created_at', '<', dayAgo)
    .executeTakeFirstOrThrow()
}

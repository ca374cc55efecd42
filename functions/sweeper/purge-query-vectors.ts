import { sql } from 'kysely'
import type { Database } from '../../shared/database/database.ts'
import { inBatches } from './purging.ts'

const maxAge = sql<Date>`now() - interval '30 days'`
const rowsPerBatch = 1000

/** Deletes vectors of questions that are a month old, and of each organization all but so many newest. */
export async function purgeQueryVectors(db: Database, maxPerOrganization = 10_000): Promise<number> {
  return await inBatches({ rowsPerBatch, maxMilliseconds: 5_000 }, () => purgeBatch(db, maxPerOrganization))
}

async function purgeBatch(db: Database, maxPerOrganization: number) {
  return await db
    .with('old', (db) =>
      db
        .selectFrom('query_vectors')
        .select(['organization_id', 'key'])
        .where('created_at', '<', maxAge)
        .orderBy('created_at')
        .limit(rowsPerBatch),
    )
    // None of the others has more than it had at the sweep before.
    .with('growing', (db) =>
      db
        .selectFrom('query_vectors')
        .select('organization_id')
        .distinct()
        .where('created_at', '>', sql<Date>`now() - interval '10 minutes'`),
    )
    .with('surplus', (db) =>
      db
        .selectFrom('growing as g')
        .innerJoinLateral(
          (from) =>
            from
              .selectFrom('query_vectors as q')
              .select('q.key')
              .whereRef('q.organization_id', '=', 'g.organization_id')
              .orderBy('q.created_at', 'desc')
              .offset(maxPerOrganization)
              .limit(rowsPerBatch)
              .as('q'),
          (join) => join.onTrue(),
        )
        .select(['g.organization_id', 'q.key']),
    )
    .with('dropped', (db) =>
      db.selectFrom('old').selectAll().union(db.selectFrom('surplus').selectAll()).limit(rowsPerBatch),
    )
    .deleteFrom('query_vectors as q')
    .using('dropped')
    .whereRef('q.organization_id', '=', 'dropped.organization_id')
    .whereRef('q.key', '=', 'dropped.key')
    .executeTakeFirstOrThrow()
}
